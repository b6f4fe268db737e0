#include "tools/mcp/mcp_server.h"

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "engine/base/status_macros.h"
#include "tools/mcp/http_endpoint.h"
#include "tools/mcp/messages.h"
#include "tools/mcp/stdio_server.h"
#include "tools/server/admin_guard.h"
#include "tools/server/http/server.h"
#include "tools/server/messages.h"
#include "tools/server/wire/host_names.h"

namespace dynolith::mcp {
namespace {

// Computations at once; further ones wait.
constexpr int kLongWorkers = 8;

absl::Status CheckOptions(const McpOptions& options) {
  if (!options.over_http) {
    if (options.without_token) {
      return absl::InvalidArgumentError(messages::McpOptionNeedsHttp("--without-token"));
    }
    if (!options.token_file.empty()) {
      return absl::InvalidArgumentError(messages::McpOptionNeedsHttp("--token"));
    }
    return absl::OkStatus();
  }
  if (options.token_file.empty() && !options.without_token) {
    return absl::InvalidArgumentError(messages::McpTokenNeeded());
  }
  if (options.token_file.empty() && !http::IsLoopbackName(options.host)) {
    return absl::InvalidArgumentError(messages::McpTokenNeededForOthers(options.host));
  }
  return absl::OkStatus();
}

sigset_t StopSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

absl::Status ServeHttp(const McpOptions& options, const ServerParts& parts) {
  HttpEndpointOptions endpoint_options{.token = "", .pages = options.pages};
  if (!options.token_file.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(endpoint_options.token, ReadAdminToken(options.token_file));
  }
  HttpEndpoint endpoint(&parts, std::move(endpoint_options));
  http::ServerOptions server_options;
  server_options.host = options.host;
  server_options.port = options.port;
  server_options.threads = 1;
  server_options.long_workers = kLongWorkers;
  server_options.tls_certificate_file = options.tls_certificate_file;
  server_options.tls_key_file = options.tls_key_file;
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<http::Server> server,
                            http::Server::Start(server_options, &endpoint));
  const char* const scheme = options.tls_certificate_file.empty() ? "http" : "https";
  std::fputs(messages::McpListening(messages::ServerUrl(scheme, options.host, server->port()),
                                    parts.backend->Place())
                 .c_str(),
             stdout);
  std::fflush(stdout);
  const sigset_t signals = StopSignals();
  int signal = 0;
  sigwait(&signals, &signal);
  // A second signal ends the process at once.
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  endpoint.CancelAll();
  server->Stop();
  return absl::OkStatus();
}

}  // namespace

absl::Status RunMcp(const McpOptions& options) {
  DYNOLITH_RETURN_IF_ERROR(CheckOptions(options));
  signal(SIGPIPE, SIG_IGN);
  if (options.over_http) {
    // Before any thread begins: they all inherit it.
    const sigset_t signals = StopSignals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Backend> backend, Backend::Open(options.backend));
  const ServerParts parts{
      .backend = backend.get(), .rules = options.rules, .version = DYNOLITH_VERSION};
  if (options.over_http) return ServeHttp(options, parts);
  return ServeStdio(parts, STDIN_FILENO, STDOUT_FILENO);
}

}  // namespace dynolith::mcp
