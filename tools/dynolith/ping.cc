#include "tools/dynolith/ping.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>

#include "absl/status/statusor.h"
#include "engine/base/messages/program.h"
#include "engine/base/messages/store_backup.h"
#include "tools/backup/server_call.h"
#include "tools/http/server_address.h"

namespace dynolith {
namespace {

// In a signal's handler nothing may be made any more.
std::string too_late;

void EndTooLate(int) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, too_late.data(), too_late.size());
  _exit(1);
}

}  // namespace

absl::Status Ping(const PingOptions& options) {
  if (!http::IsServerUrl(options.url)) {
    return absl::InvalidArgumentError(messages::ServerUrlUnknown(options.url));
  }
  too_late = messages::Failed(messages::ServerSilent(options.url, options.timeout_seconds));
  struct sigaction action = {};
  action.sa_handler = EndTooLate;
  sigaction(SIGALRM, &action, nullptr);
  alarm(options.timeout_seconds);
  const absl::StatusOr<std::string> answer =
      CallServer({.url = options.url, .token = ""}, ServerMethod::kGet, "/");
  alarm(0);
  if (absl::IsUnavailable(answer.status()) || absl::IsInvalidArgument(answer.status())) {
    return answer.status();
  }
  if (!answer.ok() || !answer->starts_with("healthy")) {
    return absl::UnavailableError(messages::ServerNotHealthy(options.url));
  }
  std::printf("%s\n", answer->c_str());
  return absl::OkStatus();
}

}  // namespace dynolith
