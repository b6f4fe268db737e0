#include "tools/dynolith/ping.h"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "absl/status/statusor.h"
#include "engine/base/messages/client.h"
#include "engine/base/messages/program.h"
#include "engine/base/messages/store_backup.h"
#include "tools/client/admin_call.h"
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
    return absl::InvalidArgumentError(messages::ClientNotAServer(options.url));
  }
  too_late = messages::Failed(messages::ServerSilent(options.url, options.timeout_seconds));
  struct sigaction action = {};
  action.sa_handler = EndTooLate;
  sigaction(SIGALRM, &action, nullptr);
  alarm(options.timeout_seconds);
  // The signal comes first, also while the server's name is looked up.
  const std::chrono::seconds patience(options.timeout_seconds + 1);
  const client::AdminServer server = {
      .url = options.url, .token = "", .patience = {.connect = patience, .answer = patience}};
  const absl::StatusOr<std::string> answer =
      client::CallAdmin(server, client::AdminMethod::kGet, "/");
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
