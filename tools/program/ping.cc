// Whether a server answers: for health checks.
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/remote/messages.h"
#include "api/remote/server_address.h"
#include "tools/client/admin_call.h"
#include "tools/program/command_parts.h"
#include "tools/program/commands.h"
#include "tools/program/messages.h"
#include "tools/program/option_checks.h"

namespace dynolith {
namespace {

struct PingOptions {
  std::string url = "http://127.0.0.1:8000";
  unsigned int timeout_seconds = 5;
};

// The message is made beforehand, since a signal handler must not allocate.
std::string too_late;

void EndTooLate(int) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, too_late.data(), too_late.size());
  _exit(1);
}

// Prints the server's answer. Errors: kInvalidArgument (no address), kUnavailable (no answer). If
// none comes in time, the process ends with exit code 1 and a line that says so.
absl::Status Ping(const PingOptions& options) {
  if (!http::IsServerUrl(options.url)) {
    return absl::InvalidArgumentError(messages::ClientNotAServer(options.url));
  }
  too_late = messages::Failed(messages::ServerSilent(options.url, options.timeout_seconds));
  struct sigaction action = {};
  action.sa_handler = EndTooLate;
  sigaction(SIGALRM, &action, nullptr);
  alarm(options.timeout_seconds);
  // Longer than the alarm, which also limits the lookup of the server's name.
  const std::chrono::seconds patience(options.timeout_seconds + 1);
  const client::AdminServer server = {
      .url = options.url, .token = "", .timeouts = {.connect = patience, .answer = patience}};
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

}  // namespace

void AddPing(CLI::App* app, int* exit_code) {
  static PingOptions options;
  CLI::App* const ping = app->add_subcommand("ping", "Ask a server whether it answers");
  ping->add_option("URL", options.url, "Server, with http:// or https://")->capture_default_str();
  ping->add_option("--timeout", options.timeout_seconds, "Seconds to wait at most")
      ->check(WholeBetween(1, 3600))
      ->capture_default_str()
      ->type_name("SECONDS");
  ping->callback([exit_code] { *exit_code = Finish(Ping(options)); });
  ping->footer(
      "For health checks: exit code 0 if it does. Certificates are not checked.\n"
      "Examples:\n"
      "  dynolith ping\n"
      "  dynolith ping http://127.0.0.1:8000 --timeout 2");
}

}  // namespace dynolith
