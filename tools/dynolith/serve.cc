#include "tools/dynolith/serve.h"

#include <signal.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "api/json/dispatch.h"
#include "api/transfer/files/bucket_transfer.h"
#include "dynolith/database.h"
#include "engine/base/clock.h"
#include "engine/base/messages/admin.h"
#include "engine/base/messages/program.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/dynolith/admin.h"
#include "tools/dynolith/dispatcher_backend.h"
#include "tools/dynolith/time_text.h"
#include "tools/http/server.h"
#include "tools/wire/wire.h"

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

// Where the manual clock is to begin.
absl::StatusOr<absl::Time> ClockStart(const ServeOptions& options) {
  if (options.clock_start.empty())
    return absl::FromUnixMillis(absl::ToUnixMillis(SystemClock().Now()));
  if (!options.manual_clock) return absl::InvalidArgumentError(messages::ClockStartNeedsManual());
  const std::optional<absl::Time> start = ParseTimeText(options.clock_start);
  if (!start) return absl::InvalidArgumentError(messages::NotATime(options.clock_start));
  return *start;
}

// An open database has moved the clock forward to the latest time in its folder.
absl::Status CheckClockStart(const ServeOptions& options, absl::Time start, absl::Time now) {
  if (options.clock_start.empty() || now == start) return absl::OkStatus();
  return absl::FailedPreconditionError(
      messages::ClockStartTooEarly(TimeText(start), options.data_folder, TimeText(now)));
}

DatabaseOptions MakeDatabaseOptions(const ServeOptions& options, BulkTransfer* transfers,
                                    ManualClock* clock) {
  DatabaseOptions database;
  if (!options.buckets_folder.empty()) database.transfers = transfers;
  if (options.manual_clock) database.clock = clock;
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

bool HasAdmin(const ServeOptions& options) { return options.admin || options.manual_clock; }
bool MayWait(const ServeOptions& options) { return options.sync && !options.data_folder.empty(); }

http::ServerOptions MakeServerOptions(const ServeOptions& options) {
  http::ServerOptions server;
  server.host = options.host;
  server.port = options.port;
  server.threads = options.threads;
  // A synchronized write would stop the event loop for the time of an fsync, and no other write
  // could join it.
  server.workers = MayWait(options) ? kSyncWorkers : HasAdmin(options) ? 1 : 0;
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

void SayReady(const ServeOptions& options, uint16_t port, const ManualClock& clock) {
  std::string where = options.data_folder.empty() ? messages::DataInMemory()
                                                  : messages::DataIn(options.data_folder);
  if (options.manual_clock) where += messages::ClockStandsAt(TimeText(clock.Now()));
  const char* const scheme = options.tls_certificate_file.empty() ? "http" : "https";
  std::fputs(messages::Serving(scheme, options.host, port, where).c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace

absl::Status Serve(const ServeOptions& options) {
  BlockEndSignals();
  DYNOLITH_ASSIGN_OR_RETURN(http::AuthenticatorOptions auth, MakeAuthOptions(options));
  DYNOLITH_ASSIGN_OR_RETURN(const absl::Time clock_start, ClockStart(options));
  ManualClock clock(clock_start);
  BucketTransfer transfers(options.buckets_folder);
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Database> database,
                            Database::Open(MakeDatabaseOptions(options, &transfers, &clock)));
  DYNOLITH_RETURN_IF_ERROR(CheckClockStart(options, clock_start, clock.Now()));
  const Dispatcher dispatcher(database.get(),
                              {.endpoint_address = Concat(options.host, ":", options.port)});
  DispatcherBackend backend(&dispatcher);
  const auto recorder = MakeRecorder(options.verbose);
  http::Wire wire(&backend,
                  {.auth = std::move(auth), .region = options.region, .record = recorder});
  Admin admin({.database = database.get(),
               .clock = options.manual_clock ? &clock : nullptr,
               .data_folder = options.data_folder,
               .next = &wire,
               .next_may_wait = MayWait(options),
               .record = recorder});
  http::Handler* const handler = HasAdmin(options) ? static_cast<http::Handler*>(&admin) : &wire;
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<http::Server> server,
                            http::Server::Start(MakeServerOptions(options), handler));
  SayReady(options, server->port(), clock);
  WaitForEndSignal();
  server->Stop();
  return absl::OkStatus();
}

}  // namespace dynolith
