#include "tools/dynolith/serve.h"

#include <signal.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "api/json/dispatch.h"
#include "dynolith/database.h"
#include "engine/base/messages/program.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/dynolith/dispatcher_backend.h"
#include "tools/http/server.h"
#include "tools/http/wire.h"

namespace dynolith {
namespace {

// So many synchronized writes share one fsync; see tools/README.md.
constexpr int kSyncWorkers = 64;

sigset_t EndSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

// Before any thread begins: they all inherit it, and only WaitForEndSignal receives the signals.
void BlockEndSignals() {
  const sigset_t signals = EndSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void WaitForEndSignal() {
  const sigset_t signals = EndSignals();
  int number = 0;
  while (sigwait(&signals, &number) != 0) {
  }
  // Who asks a second time does not want to wait.
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

absl::StatusOr<http::AuthenticatorOptions> MakeAuthOptions(const ServeOptions& options) {
  http::AuthenticatorOptions auth;
  auth.mode = options.auth;
  auth.allow_unsigned_payload = !options.tls_certificate_file.empty();
  const bool has_file = !options.credentials_file.empty();
  if (options.auth != http::AuthMode::kVerify) {
    if (has_file) return absl::InvalidArgumentError(messages::CredentialsNeedVerify());
    return auth;
  }
  if (!has_file) return absl::InvalidArgumentError(messages::VerifyNeedsCredentials());
  DYNOLITH_ASSIGN_OR_RETURN(auth.credentials, http::LoadCredentials(options.credentials_file));
  return auth;
}

DatabaseOptions MakeDatabaseOptions(const ServeOptions& options) {
  DatabaseOptions database;
  database.path = options.data_folder;
  database.in_memory = options.data_folder.empty();
  database.sync_commits = options.sync;
  database.block_cache_bytes = options.cache_bytes;
  database.region = options.region;
  database.fail_on_conflict = options.fail_on_conflict;
  database.ttl_sweep_period = absl::Seconds(options.ttl_sweep_seconds);
  database.stream_shards = options.stream_shards;
  const absl::Duration delay = absl::Seconds(options.table_delay_seconds);
  database.table_delays = {.create = delay, .update = delay, .remove = delay, .index = delay};
  return database;
}

http::ServerOptions MakeServerOptions(const ServeOptions& options) {
  http::ServerOptions server;
  server.host = options.host;
  server.port = options.port;
  server.threads = options.threads;
  // A synchronized write would stop the event loop for the time of an fsync, and no other write
  // could join it.
  server.workers = options.sync && !options.data_folder.empty() ? kSyncWorkers : 0;
  server.tls_certificate_file = options.tls_certificate_file;
  server.tls_key_file = options.tls_key_file;
  return server;
}

std::function<void(const http::ExchangeRecord&)> MakeRecorder(bool verbose) {
  if (!verbose) return nullptr;
  auto log = spdlog::stderr_logger_mt("requests");
  log->flush_on(spdlog::level::info);
  return [log = std::move(log)](const http::ExchangeRecord& record) {
    const auto text = [](std::string_view view) {
      return spdlog::string_view_t(view.data(), view.size());
    };
    log->info("{} {} {} {} in {} out {} {}us", text(record.method), text(record.path),
              text(record.target), record.status, record.request_bytes, record.response_bytes,
              absl::ToInt64Microseconds(record.duration));
  };
}

void SayReady(const ServeOptions& options, uint16_t port) {
  const std::string where = options.data_folder.empty() ? messages::DataInMemory()
                                                        : messages::DataIn(options.data_folder);
  const char* const scheme = options.tls_certificate_file.empty() ? "http" : "https";
  std::fputs(messages::Serving(scheme, options.host, port, where).c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace

absl::Status Serve(const ServeOptions& options) {
  BlockEndSignals();
  DYNOLITH_ASSIGN_OR_RETURN(http::AuthenticatorOptions auth, MakeAuthOptions(options));
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Database> database,
                            Database::Open(MakeDatabaseOptions(options)));
  const Dispatcher dispatcher(database.get(),
                              {.endpoint_address = Concat(options.host, ":", options.port)});
  DispatcherBackend backend(&dispatcher);
  http::Wire wire(
      &backend,
      {.auth = std::move(auth), .region = options.region, .record = MakeRecorder(options.verbose)});
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<http::Server> server,
                            http::Server::Start(MakeServerOptions(options), &wire));
  SayReady(options, server->port());
  WaitForEndSignal();
  server->Stop();
  return absl::OkStatus();
}

}  // namespace dynolith
