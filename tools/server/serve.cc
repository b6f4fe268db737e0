#include "tools/server/serve.h"

#include <malloc.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <deque>
#include <exception>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "api/service/database_service.h"
#include "api/service/messages.h"
#include "api/service/named_databases.h"
#include "api/service/open_files.h"
#include "api/service/region.h"
#include "api/service/snapshot_admin.h"
#include "api/service/time_text.h"
#include "api/transfer/files/bucket_transfer.h"
#include "dynolith/database.h"
#include "dynolith/restorable_database.h"
#include "engine/base/clock.h"
#include "engine/base/exceptions.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/process/thread_start.h"
#include "tools/client/service_target.h"
#include "tools/server/admin.h"
#include "tools/server/cloudwatch/cloudwatch.h"
#include "tools/server/cloudwatch/messages.h"
#include "tools/server/cloudwatch/signed_calls.h"
#include "tools/server/following.h"
#include "tools/server/handover/handover_file.h"
#include "tools/server/handover/handovers.h"
#include "tools/server/http/messages.h"
#include "tools/server/http/server.h"
#include "tools/server/iam/guard.h"
#include "tools/server/iam/principals.h"
#include "tools/server/kinesis/kinesis_sender.h"
#include "tools/server/kinesis/messages.h"
#include "tools/server/messages.h"
#include "tools/server/metrics/metric_families.h"
#include "tools/server/observers.h"
#include "tools/server/otlp/messages.h"
#include "tools/server/otlp/settings.h"
#include "tools/server/otlp/telemetry.h"
#include "tools/server/receiving.h"
#include "tools/server/request_counts.h"
#include "tools/server/seed.h"
#include "tools/server/serve_limits.h"
#include "tools/server/server_log.h"
#include "tools/server/server_metrics.h"
#include "tools/server/shipping.h"
#include "tools/server/targets/mapping.h"
#include "tools/server/targets/messages.h"
#include "tools/server/targets/stream_targets.h"
#include "tools/server/trace/trace_recorder.h"
#include "tools/server/wire/wire.h"

namespace dynolith {
namespace {

// The pause between two checks for failures in the background.
constexpr time_t kBackgroundSeconds = 5;
// Workers for pages, batches and large bodies. One of them is kept for short requests
// (tools/server/http/worker_pool.h), so the number of the others bounds the memory of large
// requests.
constexpr int kBriefWorkers = 3;
// Workers for calls that may walk whole tables, so that one such call does not wait for another.
constexpr int kLongWorkers = 4;
// Workers for calls that wait until one of several databases is opened, made, restored or removed.
constexpr int kDatabaseWorkers = 16;
// Workers for long polls, each of which takes one for up to a second; fewer where there may be few
// threads.
constexpr int kPollingWorkers = 16;
// Of the files beside the data folder.
constexpr std::string_view kHandoversEnding = ".handovers";
constexpr std::string_view kTargetsEnding = ".targets";
constexpr std::string_view kKinesisEnding = ".kinesis";
// Where CloudWatch's calls are answered without signatures.
constexpr std::string_view kCloudwatchFolder = "/_dynolith/cloudwatch";
constexpr int64_t kCloudwatchDelayMax = 3'600;
constexpr int kReturnedBytesMin = 256 << 10;
// Arenas of the C library, with a memory budget.
constexpr int kArenasOfBudget = 2;
// From the signal until long calls are interrupted, and until all connections are closed.
constexpr absl::Duration kStopPatience = absl::Seconds(2);
constexpr absl::Duration kStopTimeout = absl::Seconds(3);

sigset_t EndSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  // nohup has it ignored, so that the server outlives its terminal.
  struct sigaction hangup {};
  const bool is_ignored = sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler == SIG_IGN;
  if (!is_ignored) sigaddset(&signals, SIGHUP);
  return signals;
}

// Before any thread begins: they all inherit it, and only WaitForEndSignal receives the signals.
void TakeSignals() {
  const sigset_t signals = EndSignals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  // The end of the log's reader must not end the server.
  signal(SIGPIPE, SIG_IGN);
}

// Whether WaitForEndSignal would return at once. Call TakeSignals before.
bool HasEndSignal() {
  static const sigset_t awaited = EndSignals();
  sigset_t pending;
  if (sigpending(&pending) != 0) return false;
  const std::initializer_list<int> numbers = {SIGTERM, SIGINT, SIGHUP};
  return std::any_of(numbers.begin(), numbers.end(), [&](int number) {
    return sigismember(&pending, number) == 1 && sigismember(&awaited, number) == 1;
  });
}

// Calls `look` every few seconds.
void WaitForEndSignal(absl::FunctionRef<void()> look) {
  const sigset_t signals = EndSignals();
  const timespec pause = {.tv_sec = kBackgroundSeconds, .tv_nsec = 0};
  while (sigtimedwait(&signals, nullptr, &pause) < 0) look();
  // A second signal ends the process at once.
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
}

std::string_view AuthModeName(http::AuthMode mode) {
  switch (mode) {
    case http::AuthMode::kOff:
      return "off";
    case http::AuthMode::kShape:
      return "shape";
    case http::AuthMode::kVerify:
      break;
  }
  return "verify";
}

// The C library returns only large freed blocks to the system, and its bound for "large" grows with
// the freed sizes, up to 32 MB. So a few large requests would keep their memory in every thread's
// arena, where no other thread can use it. With a budget there are few arenas.
void GiveBackMemory(const ServeLimits& limits) {
  mallopt(M_MMAP_THRESHOLD, kReturnedBytesMin);
  mallopt(M_TRIM_THRESHOLD, kReturnedBytesMin);
  if (limits.memory_budget_bytes > 0) mallopt(M_ARENA_MAX, kArenasOfBudget);
}

// Running requests are answered; long ones after a moment with the error that the server ends.
void StopServer(const NamedDatabases& databases, http::Server* server) {
  absl::Notification stopped;
  std::thread interrupter;
  // If no thread can be started, the server waits for long requests.
  const absl::Status started = StartThread(
      [&] {
        if (stopped.WaitForNotificationWithTimeout(kStopPatience)) return;
        const auto interrupt_all = [&] {
          databases.ForEach([](DatabaseInstance& database) {
            // A database that returns to a snapshot interrupts its calls itself.
            if (const auto use = database.TryBegin(); use && *use) use->database()->Interrupt();
          });
          return absl::OkStatus();
        };
        // Without memory, too, the server waits for them.
        CatchThrown(interrupt_all).IgnoreError();
      },
      &interrupter);
  server->Stop();
  stopped.Notify();
  if (started.ok()) interrupter.join();
}

// nullopt: policies are not asked.
absl::StatusOr<std::optional<iam::Principals>> LoadIam(const ServeOptions& options) {
  if ((options.iam == IamMode::kOff) != options.iam_folder.empty()) {
    return absl::InvalidArgumentError(messages::IamNeedsFolder());
  }
  if (options.iam == IamMode::kOff) return std::nullopt;
  DYNOLITH_ASSIGN_OR_RETURN(
      iam::Principals principals,
      iam::LoadPrincipals(options.iam_folder, options.settings.database.account_id));
  return principals;
}

// `principals`: whose sessions have secrets, too; nullptr: none.
absl::StatusOr<http::AuthenticatorOptions> MakeAuthOptions(const ServeOptions& options,
                                                           const iam::Principals* principals) {
  http::AuthenticatorOptions auth;
  auth.mode = options.auth;
  auth.allow_unsigned_payload = !options.tls_certificate_file.empty();
  const bool has_file = !options.credentials_file.empty();
  if (options.auth != http::AuthMode::kVerify) {
    if (has_file) return absl::InvalidArgumentError(messages::CredentialsNeedVerify());
    return auth;
  }
  if (principals != nullptr) {
    for (const auto& [key, secret] : principals->session_secrets) {
      auth.credentials[key] = {secret.secret_key, secret.session_token};
    }
  }
  if (!has_file && auth.credentials.empty()) {
    return absl::InvalidArgumentError(messages::VerifyNeedsCredentials());
  }
  if (!has_file) return auth;
  DYNOLITH_ASSIGN_OR_RETURN(http::CredentialMap credentials,
                            http::LoadCredentials(options.credentials_file));
  auth.credentials.merge(credentials);
  return auth;
}

// A folder within the formerly served one would be empty.
absl::Status CheckNotWithinStore(const std::string& folder) {
  if (folder.empty() || RestorableDatabase::IsFolder(folder)) return absl::OkStatus();
  std::error_code error;
  // Of a relative path that is not there weakly_canonical makes no absolute one.
  std::filesystem::path path = std::filesystem::absolute(folder, error);
  if (!error) path = std::filesystem::weakly_canonical(path, error);
  const std::string parent = (path.has_filename() ? path : path.parent_path()).parent_path();
  if (error || !RestorableDatabase::IsFolder(parent)) return absl::OkStatus();
  return absl::FailedPreconditionError(messages::DataFolderWithinStore(folder, parent));
}

// The time at which the manual clock begins.
absl::StatusOr<absl::Time> ClockStart(const ServeOptions& options) {
  if (options.clock_start.empty())
    return absl::FromUnixMillis(absl::ToUnixMillis(SystemClock().Now()));
  if (!options.settings.manual_clock)
    return absl::InvalidArgumentError(messages::ClockStartNeedsManual());
  const std::optional<absl::Time> start = ParseTimeText(options.clock_start);
  if (!start) return absl::InvalidArgumentError(messages::NotATime(options.clock_start));
  return *start;
}

// An open database has moved the clock forward to the latest time in its folder.
absl::Status CheckClockStart(const ServeOptions& options, absl::Time start, absl::Time now) {
  if (options.clock_start.empty() || now == start) return absl::OkStatus();
  return absl::FailedPreconditionError(messages::ClockStartTooEarly(
      "--clock-start", TimeText(start), options.settings.database.path, TimeText(now)));
}

bool HasAdmin(const ServeOptions& options) {
  return options.admin || options.settings.manual_clock || !options.admin_token_file.empty() ||
         !options.admin_networks.empty();
}

absl::StatusOr<AdminGuardOptions> MakeAdminGuardOptions(const ServeOptions& options) {
  AdminGuardOptions guard{.token = "", .networks = options.admin_networks};
  if (!options.admin_token_file.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(guard.token, ReadAdminToken(options.admin_token_file));
  }
  return guard;
}

bool Isolates(const ServeOptions& options) {
  return options.isolate_by_region || options.isolate_by_access_key;
}

// Whether there can be named databases.
bool HasDatabases(const ServeOptions& options) {
  return HasAdmin(options) || Isolates(options) || options.regions.size() > 1;
}

// Those beside the first.
std::vector<std::string> MoreRegions(const ServeOptions& options) {
  if (options.regions.empty()) return {};
  return {options.regions.begin() + 1, options.regions.end()};
}

absl::Status CheckRegions(const ServeOptions& options) {
  std::set<std::string_view> seen;
  for (const std::string& region : options.regions) {
    if (!IsRegion(region)) return absl::InvalidArgumentError(messages::NotRegion(region));
    if (!seen.insert(region).second) {
      return absl::InvalidArgumentError(messages::RegionTwice(region));
    }
  }
  // What is left of them has no port of its own yet.
  for (const ServeOptions::RegionPort& own : options.region_ports) {
    if (seen.erase(own.region) > 0) continue;
    const bool is_served = std::find(options.regions.begin(), options.regions.end(), own.region) !=
                           options.regions.end();
    return absl::InvalidArgumentError(is_served ? messages::RegionPortTwice(own.region)
                                                : messages::RegionPortOfNone(own.region));
  }
  return absl::OkStatus();
}

// Whether the options go with --follow or --receive, if that is given.
absl::Status CheckFollowing(const ServeOptions& options) {
  const DatabaseOptions& database = options.settings.database;
  const bool receives = !options.receive.url.empty();
  if (!database.follow && !receives) return absl::OkStatus();
  const std::string_view flag = receives ? "--receive" : "--follow";
  if (database.path.empty() || options.open_store) {
    return absl::InvalidArgumentError(receives ? messages::ReceiveNeedsFolder()
                                               : messages::FollowNeedsFolder());
  }
  const bool writes = !options.seeds.empty() || !options.on_stream.empty() ||
                      !options.stream_targets_file.empty() || !options.kinesis_url.empty() ||
                      !options.ship.url.empty() || options.settings.manual_clock;
  if (writes) return absl::InvalidArgumentError(messages::FollowWritesNothing(flag));
  if (Isolates(options) || options.regions.size() > 1) {
    return absl::InvalidArgumentError(messages::FollowsOneDatabase(flag));
  }
  return absl::OkStatus();
}

AskedLimits RequestedLimits(const ServeOptions& options) {
  const DatabaseOptions& database = options.settings.database;
  return {.has_folder = !database.path.empty(),
          .has_databases = HasDatabases(options),
          .databases_open = options.databases_open,
          .memory_budget_bytes = database.memory_budget_bytes,
          .cache_bytes = database.block_cache_bytes,
          .item_cache_bytes = database.item_cache_bytes,
          .loops = options.threads};
}

// Open named databases in a folder get half of the files; the rest is for connections and for the
// first database.
size_t OpenDatabasesMax(const ServeOptions& options, const ServeLimits& limits) {
  if (options.databases_open > 0) return options.databases_open;
  const size_t most =
      limits.databases_open > 0 ? limits.databases_open : NamedDatabasesOptions::kOpenDatabasesMax;
  return std::clamp(http::RaiseFileLimit() / 2 / kFilesOfDatabase, size_t{1}, most);
}

DatabaseOptions MakeDatabaseOptions(const ServeOptions& options, const ServeLimits& limits,
                                    BulkTransfer* transfers) {
  DatabaseOptions database = options.settings.database;
  if (!options.settings.buckets_folder.empty()) database.transfers = transfers;
  database.in_memory = database.path.empty();
  database.memory_budget_bytes = limits.first_budget_bytes;
  database.count_use = HasAdmin(options) || options.otlp;
  database.sends_to_kinesis = !options.kinesis_url.empty();
  return database;
}

SeedOptions MakeSeedOptions(const ServeOptions& options) {
  return {.files = options.seeds,
          .read = {.parameters = options.seed_parameters,
                   .region = options.settings.database.region,
                   .left_out = options.seed_left_out},
          .in_region = nullptr,
          .capacity = options.settings.database.capacity,
          .wait = nullptr,
          .is_over = &HasEndSignal};
}

// A new table becomes active after its delay, which does not pass on a clock that stands still. A
// caller's own database has these tables, too.
absl::Status LoadSeeds(const ServeOptions& options, NamedDatabases* databases) {
  if (options.seeds.empty()) return absl::OkStatus();
  {
    const DatabaseInstance::Use use = databases->first().Begin();
    SeedOptions seed = MakeSeedOptions(options);
    std::deque<DatabaseInstance::Use> uses;  // of the other regions
    if (options.regions.size() > 1) {
      seed.in_region =
          [&](const std::string& region) -> absl::StatusOr<std::unique_ptr<client::ServiceTarget>> {
        if (region == options.regions.front()) return client::MakeDatabaseTarget(use.database());
        const auto database = databases->FindRegion(region);
        if (database == nullptr) return absl::NotFoundError(region);
        return client::MakeDatabaseTarget(uses.emplace_back(database->Begin()).database());
      };
    }
    const absl::Duration delay = options.settings.database.table_delays.create;
    if (options.settings.manual_clock && delay > absl::ZeroDuration()) {
      seed.wait = [&use, delay, databases] {
        use.clock()->Advance(delay);
        if (databases->group() != nullptr) databases->AlignClocks().IgnoreError();
      };
    }
    DYNOLITH_RETURN_IF_ERROR(Seed(seed, use.database()));
  }
  return Isolates(options) ? databases->SetBeginning() : absl::OkStatus();
}

// Whether staleness depends on the caller.
bool IsMonotonic(const StalenessOptions& staleness) {
  return std::any_of(staleness.rules.begin(), staleness.rules.end(),
                     [](const StalenessRule& rule) { return rule.monotonic; });
}
bool WritesWait(const ServeOptions& options) {
  return options.settings.database.sync_commits && !options.settings.database.path.empty();
}

// Of a store elsewhere even reads wait.
bool CallsWait(const ServeOptions& options) { return options.open_store != nullptr; }

http::ServerOptions MakeServerOptions(const ServeOptions& options, const ServeLimits& limits,
                                      Log* log) {
  http::ServerOptions server;
  server.buffered_bytes_max = limits.request_bytes;
  server.warn = [log](std::string_view what) { log->Write(LogLevel::kWarning, what); };
  server.host = options.host;
  server.port = options.port;
  for (const ServeOptions::RegionPort& own : options.region_ports) {
    server.more_ports.push_back(own.port);
  }
  server.threads = limits.loops;
  server.brief_workers = kBriefWorkers;
  server.long_workers = kLongWorkers;
  const bool waits = WritesWait(options) || CallsWait(options);
  server.waiting_workers = waits ? limits.waiting_workers
                           : HasDatabases(options)
                               ? std::min(kDatabaseWorkers, limits.waiting_workers)
                               : 0;
  server.polling_workers =
      HasAdmin(options) ? std::clamp(limits.waiting_workers / kPollingWorkers, 1, kPollingWorkers)
                        : 0;
  server.stop_timeout = kStopTimeout;
  server.tls_certificate_file = options.tls_certificate_file;
  server.tls_key_file = options.tls_key_file;
  return server;
}

// Empty in memory.
std::string FileBesideFolder(const ServeOptions& options, std::string_view ending) {
  std::string file = options.settings.database.path;
  while (file.size() > 1 && file.back() == '/') file.pop_back();
  return file.empty() ? file : file.append(ending);
}

absl::StatusOr<std::unique_ptr<handover::Handovers>> OpenHandovers(const ServeOptions& options,
                                                                   Log* log) {
  const std::string file = FileBesideFolder(options, kHandoversEnding);
  return handover::Handovers::Open({.file = file, .note = [log](const std::string& text) {
                                      log->Write(LogLevel::kWarning, text);
                                    }});
}

absl::StatusOr<std::vector<targets::Mapping>> FindMappings(const ServeOptions& options) {
  const bool has_any = !options.on_stream.empty() || !options.stream_targets_file.empty();
  if (has_any && options.open_store) {
    return absl::InvalidArgumentError(messages::TargetsNeedOwnStore());
  }
  return targets::ReadMappings(options.on_stream, options.stream_targets_file);
}

// Delivers what streams record from now on, and what is left of before. nullptr: they call nothing.
absl::StatusOr<std::unique_ptr<targets::StreamTargets>> BeginTargets(
    const ServeOptions& options, std::vector<targets::Mapping> mappings, NamedDatabases* databases,
    Log* log) {
  if (mappings.empty()) return nullptr;
  DYNOLITH_ASSIGN_OR_RETURN(
      std::unique_ptr<targets::StreamTargets> begun,
      targets::StreamTargets::Open(
          {.mappings = std::move(mappings),
           .database = &databases->first(),
           .file = FileBesideFolder(options, kTargetsEnding),
           .note = [log](const std::string& text) { log->Write(LogLevel::kWarning, text); }}));
  DYNOLITH_RETURN_IF_ERROR(begun->Begin());
  return begun;
}

absl::Status CheckKinesis(const ServeOptions& options) {
  if (options.kinesis_url.empty() || !options.open_store) return absl::OkStatus();
  return absl::InvalidArgumentError(messages::KinesisNeedsOwnStore());
}

// nullptr: nothing is sent to Kinesis.
absl::StatusOr<std::unique_ptr<kinesis::KinesisSender>> BeginKinesis(const ServeOptions& options,
                                                                     NamedDatabases* databases,
                                                                     Log* log) {
  if (options.kinesis_url.empty()) return nullptr;
  DYNOLITH_ASSIGN_OR_RETURN(
      std::unique_ptr<kinesis::KinesisSender> begun,
      kinesis::KinesisSender::Open(
          {.url = options.kinesis_url,
           .database = &databases->first(),
           .file = FileBesideFolder(options, kKinesisEnding),
           .note = [log](const std::string& text) { log->Write(LogLevel::kWarning, text); }}));
  DYNOLITH_RETURN_IF_ERROR(begun->Begin());
  return begun;
}

// nullptr: no trace.
absl::StatusOr<std::unique_ptr<trace::TraceRecorder>> StartTrace(const ServeOptions& options,
                                                                 ServerLog* events) {
  if (options.trace_file.empty()) return nullptr;
  return trace::TraceRecorder::Start(
      {.files = {.file = options.trace_file,
                 .plain_keys = options.trace_plain_keys,
                 .bytes_max = options.trace_megabytes << 20,
                 .files_max = options.trace_files},
       .fail = [events](const absl::Status& why) { events->NoteTraceEnd(why); }});
}

// What can be known of the steps behind the opening of the databases before it.
absl::Status CheckStart(const ServeOptions& options,
                        const std::vector<targets::Mapping>& mappings) {
  DYNOLITH_RETURN_IF_ERROR(ClockStart(options).status());
  DYNOLITH_RETURN_IF_ERROR(
      handover::ReadHandovers(FileBesideFolder(options, kHandoversEnding)).status());
  if (!options.seeds.empty()) DYNOLITH_RETURN_IF_ERROR(CheckSeeds(MakeSeedOptions(options)));
  DYNOLITH_RETURN_IF_ERROR(
      targets::StreamTargets::Check(mappings, FileBesideFolder(options, kTargetsEnding)));
  return kinesis::KinesisSender::Check(options.kinesis_url, options.settings.database.region,
                                       FileBesideFolder(options, kKinesisEnding));
}

// Whether the first database can be opened, by whatever process holds its folder.
absl::Status CheckOpens(const ServeOptions& options, const ServeLimits& limits) {
  DatabaseOptions database = MakeDatabaseOptions(options, limits, nullptr);
  database.read_only = true;
  return Database::Open(database).status();
}

ShippingOptions MakeShippingOptions(const ServeOptions& options, const ServeLimits& limits) {
  const DatabaseOptions& database = options.settings.database;
  ship::ShipOptions ship = options.ship;
  ship.is_over = &HasEndSignal;
  return {.ship = std::move(ship),
          .data_folder = database.path,
          .encryption_key = database.encryption_key,
          .reads_only = database.read_only,
          .is_shared = options.open_store != nullptr,
          .is_one_of_many = Isolates(options) || options.regions.size() > 1,
          .check_opens = [&] { return CheckOpens(options, limits); }};
}

// Prints warnings about settings that work, but should be different.
void WarnOfOpenDoors(const ServeOptions& options, bool only_this_machine, Log* log) {
  if (!only_this_machine && options.auth != http::AuthMode::kVerify) {
    log->Write(LogLevel::kWarning,
               messages::ReachableByOthers(options.host, AuthModeName(options.auth)));
  }
  // An option that is not given names no file.
  const std::string& keys = options.credentials_file;
  if (const std::string mode = http::ModeOpenToOthers(keys); !mode.empty()) {
    log->Write(LogLevel::kWarning, messages::CredentialsOpenToOthers(keys, mode));
  }
  const std::string& token = options.admin_token_file;
  if (const std::string mode = http::ModeOpenToOthers(token); !mode.empty()) {
    log->Write(LogLevel::kWarning, messages::AdminTokenOpenToOthers(token, mode));
  }
  // The first and the last address of IPv4.
  const auto is_all = [](const http::Network& network) {
    return network.Holds(http::ParseNetwork("0.0.0.0")->address) &&
           network.Holds(http::ParseNetwork("255.255.255.255")->address);
  };
  const bool is_open =
      std::any_of(options.admin_networks.begin(), options.admin_networks.end(), is_all);
  if (!only_this_machine && is_open) log->Write(LogLevel::kWarning, messages::AdminOpenToAll());
}

// `ports`: the server's.
void SayReady(const ServeOptions& options, const CallAnswerer* answerer,
              const std::vector<uint16_t>& ports, const DatabaseInstance::Use& first) {
  std::string where = answerer != nullptr  ? answerer->Place()
                      : options.open_store ? messages::DataInStore(options.store_place())
                      : options.settings.database.path.empty()
                          ? messages::DataInMemory()
                          : messages::DataIn(options.settings.database.path);
  if (!options.receive.url.empty()) {
    where += messages::DataIsReceived(options.receive.url);
  } else if (options.settings.database.follow) {
    where += messages::DataIsFollowed();
  }
  if (options.settings.manual_clock)
    where += messages::ClockStandsAt(TimeText(first.clock()->Now()));
  const char* const scheme = options.tls_certificate_file.empty() ? "http" : "https";
  for (size_t i = 0; i < options.region_ports.size(); ++i) {
    where += messages::RegionIsAt(options.region_ports[i].region,
                                  messages::ServerUrl(scheme, options.host, ports[i + 1]));
  }
  const std::string url = messages::ServerUrl(scheme, options.host, ports.front());
  std::fputs(messages::Serving(url, where).c_str(), stdout);
  std::fflush(stdout);
  if (options.ready) options.ready(url);
}

// The first failure in the background of any database.
absl::Status TakeBackgroundFailure(const NamedDatabases& databases) {
  absl::Status failure;
  databases.ForEach([&failure](DatabaseInstance& database) {
    if (const auto use = database.TryBegin(); use && *use) {
      failure.Update(use->database()->TakeBackgroundFailure());
    }
  });
  return failure;
}

// Who is told of the databases (NamedDatabasesOptions).
struct DatabaseFollowers {
  std::function<std::shared_ptr<AccessObserver>(std::string_view name)> observer_of;
  std::function<void(std::string_view name)> removed;
  LogObserver* log_observer = nullptr;
};

absl::StatusOr<std::unique_ptr<NamedDatabases>> OpenDatabases(const ServeOptions& options,
                                                              const ServeLimits& limits,
                                                              BulkTransfer* transfers,
                                                              DatabaseFollowers followers) {
  DYNOLITH_ASSIGN_OR_RETURN(const absl::Time clock_start, ClockStart(options));
  RestorableOptions each{.database = MakeDatabaseOptions(options, limits, transfers),
                         .open_store = options.open_store};
  each.database.log_observer = followers.log_observer;
  if (options.settings.manual_clock) each.manual_clock_start = clock_start;
  const bool in_folder = !options.settings.database.path.empty();
  DYNOLITH_RETURN_IF_ERROR(CheckNotWithinStore(options.settings.database.path));
  DYNOLITH_ASSIGN_OR_RETURN(
      std::unique_ptr<NamedDatabases> databases,
      NamedDatabases::Open(
          {.each = each,
           .calls = {.endpoint_address = Concat(options.host, ":", options.port)},
           .calls_make = options.calls_make_databases.value_or(!in_folder || Isolates(options)),
           .named_by_region = options.isolate_by_region,
           .databases_max = options.databases_max,
           .open_max = OpenDatabasesMax(options, limits),
           .more_regions = MoreRegions(options),
           .named_budget_bytes = limits.named_budget_bytes,
           .observer_of = std::move(followers.observer_of),
           .removed = std::move(followers.removed)}));
  if (options.settings.manual_clock) {
    const absl::Time now = databases->first().Begin().clock()->Now();
    DYNOLITH_RETURN_IF_ERROR(CheckClockStart(options, clock_start, now));
  }
  DYNOLITH_RETURN_IF_ERROR(LoadSeeds(options, databases.get()));
  return databases;
}

// The options, except for admission and recording.
http::WireOptions MakeWireOptions(const ServeOptions& options, const ServeLimits& limits,
                                  ServerLog* events) {
  http::WireOptions wire;
  wire.pages = options.pages;
  wire.region = options.settings.database.region;
  wire.writes_wait = WritesWait(options);
  wire.calls_wait = CallsWait(options);
  wire.search_endpoint = options.search_endpoint;
  wire.memory_limit_bytes = limits.memory_bytes;
  wire.tells_client = IsMonotonic(options.settings.database.staleness);
  wire.databases = {.by_header = HasAdmin(options),
                    .by_access_key = options.isolate_by_access_key,
                    .by_region = options.isolate_by_region,
                    .regions = options.regions};
  for (const ServeOptions::RegionPort& own : options.region_ports) {
    wire.databases.port_regions.push_back(own.region);
  }
  wire.fail = [events](const http::FailureRecord& failure) { events->NoteFailure(failure); };
  wire.refuse = [events](std::string_view why) { events->NoteRefusal(why); };
  return wire;
}

// A server while it runs: from its databases to its end.
class RunningServer {
 public:
  RunningServer(const ServeOptions& options, const ServeLimits& limits, CallAnswerer* answerer)
      : options_(options),
        limits_(limits),
        answerer_(answerer),
        log_(options.log),
        events_(&log_) {}
  // It asks the databases until it has stopped.
  ~RunningServer() {
    if (shipping_ != nullptr) shipping_->Stop();
    if (telemetry_ != nullptr) telemetry_->Stop();
  }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  absl::Status Run();

 private:
  std::unique_ptr<iam::IamGuard> MakeIamGuard(iam::Principals principals);
  absl::Status MakeCloudwatch();
  absl::Status MakeTelemetry();
  // What is told of the accesses in a database; nullptr: nothing.
  std::shared_ptr<AccessObserver> ObserverFor(std::string_view database);
  http::Handler* WithCloudwatch(const http::WireOptions& wire, http::Handler* calls);
  bool AnswerCloudwatch(const http::Request& request, http::Response* response);
  void NoteAdminRequest(const http::ExchangeRecord& exchange);
  void NoteError(const http::ExchangeRecord& exchange);
  absl::StatusOr<http::Handler*> FindCallHandler(http::AuthenticatorOptions auth);
  AdminOptions MakeAdminOptions(AdminGuardOptions guard, http::Handler* next);
  // False: the request is for the endpoint itself.
  bool AnswerAdmin(const AdminRequest& request, JsonResponse* answer);
  absl::StatusOr<std::string> RenderMetrics(DatabaseInstance& database) const;
  MetricFamilies CollectMetrics(const Database& database, bool is_first) const;
  absl::Status TakePorts();
  absl::Status Listen(http::Handler* handler, Admin* admin);
  absl::Status LookAround(Admin* admin);

  const ServeOptions& options_;
  const ServeLimits& limits_;
  CallAnswerer* const answerer_;  // nullptr: the databases
  Log log_;
  ServerLog events_;
  const std::function<void(const http::ExchangeRecord&)> log_request_ = events_.Recorder();
  RequestCounts counts_;
  BucketTransfer transfers_{options_.settings.buckets_folder,
                            [this](const ImportFault& fault) { events_.NoteImportFault(fault); }};
  std::unique_ptr<trace::TraceRecorder> recorder_;
  std::unique_ptr<cloudwatch::Cloudwatch> cloudwatch_;  // nullptr: nothing is counted for it
  std::unique_ptr<otlp::Telemetry> telemetry_;          // nullptr: nothing is sent by OTLP
  std::unique_ptr<handover::Handovers> handovers_;      // nullptr: calls are the answerer's
  std::unique_ptr<Shipping> shipping_;                  // nullptr: nothing is shipped
  std::unique_ptr<Receiving> receiving_;                // nullptr: nothing is received
  std::unique_ptr<NamedDatabases> databases_;
  std::unique_ptr<targets::StreamTargets> targets_;  // nullptr: streams call nothing
  std::unique_ptr<kinesis::KinesisSender> kinesis_;  // nullptr: nothing is sent to Kinesis
  std::unique_ptr<iam::IamGuard> guard_;             // nullptr: policies are not asked
  std::unique_ptr<DatabaseService> service_;
  std::unique_ptr<http::Wire> wire_;
  std::unique_ptr<cloudwatch::SignedCalls> cloudwatch_calls_;
  std::unique_ptr<http::Server> server_;  // until it listens
  // Requests may come before Start has returned.
  std::atomic<const http::Server*> started_ = nullptr;
};

absl::Status RunningServer::Run() {
  DYNOLITH_ASSIGN_OR_RETURN(std::optional<iam::Principals> principals, LoadIam(options_));
  DYNOLITH_ASSIGN_OR_RETURN(http::AuthenticatorOptions auth,
                            MakeAuthOptions(options_, principals ? &*principals : nullptr));
  DYNOLITH_ASSIGN_OR_RETURN(AdminGuardOptions guard, MakeAdminGuardOptions(options_));
  DYNOLITH_ASSIGN_OR_RETURN(std::vector<targets::Mapping> mappings, FindMappings(options_));
  DYNOLITH_RETURN_IF_ERROR(CheckKinesis(options_));
  DYNOLITH_ASSIGN_OR_RETURN(recorder_, StartTrace(options_, &events_));
  DYNOLITH_RETURN_IF_ERROR(MakeCloudwatch());
  DYNOLITH_RETURN_IF_ERROR(MakeTelemetry());
  DatabaseFollowers followers = {
      .observer_of = [this](std::string_view name) { return ObserverFor(name); }};
  if (cloudwatch_ != nullptr) {
    followers.removed = [this](std::string_view name) { cloudwatch_->Forget(name); };
  }
  // A take-over ends another server, so what can fail is tried before.
  if (options_.ship.take_over) {
    DYNOLITH_RETURN_IF_ERROR(TakePorts());
    DYNOLITH_RETURN_IF_ERROR(CheckStart(options_, mappings));
  }
  DYNOLITH_ASSIGN_OR_RETURN(shipping_,
                            Shipping::Make(MakeShippingOptions(options_, limits_), &log_));
  if (shipping_ != nullptr) followers.log_observer = shipping_->observer();
  DYNOLITH_ASSIGN_OR_RETURN(receiving_,
                            Receiving::Begin(options_.receive, options_.settings.database, &log_));
  DYNOLITH_ASSIGN_OR_RETURN(databases_,
                            OpenDatabases(options_, limits_, &transfers_, std::move(followers)));
  if (shipping_ != nullptr) DYNOLITH_RETURN_IF_ERROR(shipping_->Begin(&databases_->first()));
  if (cloudwatch_ != nullptr) cloudwatch_->Attach(databases_.get());
  if (principals) guard_ = MakeIamGuard(*std::move(principals));
  if (answerer_ == nullptr) {
    DYNOLITH_ASSIGN_OR_RETURN(handovers_, OpenHandovers(options_, &log_));
  }
  DYNOLITH_ASSIGN_OR_RETURN(http::Handler* const calls, FindCallHandler(std::move(auth)));
  DYNOLITH_ASSIGN_OR_RETURN(targets_,
                            BeginTargets(options_, std::move(mappings), databases_.get(), &log_));
  DYNOLITH_ASSIGN_OR_RETURN(kinesis_, BeginKinesis(options_, databases_.get(), &log_));
  Admin admin(MakeAdminOptions(std::move(guard), calls));
  absl::Status served = Listen(HasAdmin(options_) ? &admin : calls, &admin);
  if (answerer_ != nullptr) answerer_->Finish();
  return served;
}

absl::Status RunningServer::MakeCloudwatch() {
  const int64_t delay = options_.cloudwatch_delay_seconds;
  if (delay < 0 || delay > kCloudwatchDelayMax) {
    return absl::InvalidArgumentError(messages::CloudwatchDelayBounds(kCloudwatchDelayMax));
  }
  if (!options_.cloudwatch) return absl::OkStatus();
  cloudwatch_ = std::make_unique<cloudwatch::Cloudwatch>(cloudwatch::CloudwatchOptions{
      .delay = absl::Seconds(delay),
      .region = options_.settings.database.region,
      .account = options_.settings.database.account_id,
      .note = [this](const std::string& text) { log_.Write(LogLevel::kInfo, text); }});
  return absl::OkStatus();
}

absl::Status RunningServer::MakeTelemetry() {
  if (!options_.otlp) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(otlp::Settings settings,
                            otlp::FindSettings(options_.otlp_url, client::ProcessEnvironment));
  std::string variables;
  for (const std::string& name : settings.variables) {
    variables.append(variables.empty() ? "" : ", ").append(name);
  }
  log_.Write(LogLevel::kInfo, messages::OtlpSettings(settings.url, variables));
  const auto metrics = [this] {
    const std::optional<DatabaseInstance::Use> use = databases_->first().TryBegin();
    // While it returns to a snapshot it has no figures.
    if (!use || !*use) return MetricFamilies();
    return CollectMetrics(*use->database(), true);
  };
  DYNOLITH_ASSIGN_OR_RETURN(
      telemetry_, otlp::Telemetry::Make({.settings = std::move(settings),
                                         .sample_ratio = options_.otlp_sample_ratio,
                                         .interval = absl::Seconds(options_.otlp_interval_seconds),
                                         .metrics = metrics,
                                         .note = [this](const std::string& text) {
                                           log_.Write(LogLevel::kWarning, text);
                                         }}));
  return absl::OkStatus();
}

std::shared_ptr<AccessObserver> RunningServer::ObserverFor(std::string_view database) {
  std::shared_ptr<AccessObserver> observer;
  if (cloudwatch_ != nullptr) observer = cloudwatch_->CollectorOf(database);
  // The server keeps the others itself.
  const auto add = [&](AccessObserver* other) {
    if (observer != nullptr) {
      observer = std::make_shared<ObserverPair>(other, std::move(observer));
    } else {
      observer = std::shared_ptr<AccessObserver>(std::shared_ptr<void>(), other);
    }
  };
  if (telemetry_ != nullptr) add(&telemetry_->calls());
  if (recorder_ != nullptr) add(recorder_.get());
  return observer;
}

http::Handler* RunningServer::WithCloudwatch(const http::WireOptions& wire, http::Handler* calls) {
  if (cloudwatch_ == nullptr) return calls;
  cloudwatch_calls_ = std::make_unique<cloudwatch::SignedCalls>(
      cloudwatch::SignedCallsOptions{.cloudwatch = cloudwatch_.get(),
                                     .next = calls,
                                     .auth = wire.auth,
                                     .pages = wire.pages,
                                     .databases = wire.databases,
                                     .guard = wire.guard});
  return cloudwatch_calls_.get();
}

bool RunningServer::AnswerCloudwatch(const http::Request& request, http::Response* response) {
  std::string_view path = request.path();
  if (cloudwatch_ == nullptr || !path.starts_with(kCloudwatchFolder)) return false;
  path.remove_prefix(kCloudwatchFolder.size());
  if (!path.empty() && path.front() != '/') return false;
  if (!cloudwatch::Cloudwatch::IsCall(request, path)) return false;
  std::string database =
      http::ChooseDatabaseName(request, MakeWireOptions(options_, limits_, &events_).databases);
  cloudwatch_->Answer(request, path, {.database = std::move(database)}, response);
  return true;
}

// A restore makes a database what it was; other requests may have moved a clock.
void RunningServer::NoteAdminRequest(const http::ExchangeRecord& exchange) {
  if (cloudwatch_ != nullptr && exchange.status == 200 && exchange.method != "GET") {
    if (SnapshotAdmin::IsRestore(exchange.path)) cloudwatch_->GoBack(exchange.database);
    cloudwatch_->CatchUp();
  }
  if (log_request_) log_request_(exchange);
}

// The service counts what its callers have done wrong, but not these (api/facts/cloudwatch.md §1).
void RunningServer::NoteError(const http::ExchangeRecord& exchange) {
  if (cloudwatch_ == nullptr || exchange.status != 400 || !exchange.error) return;
  switch (*exchange.error) {
    case ErrorKind::kConditionalCheckFailed:
    case ErrorKind::kProvisionedThroughputExceeded:
    case ErrorKind::kThrottling:
    case ErrorKind::kRequestLimitExceeded:
      return;
    default:
      return cloudwatch_->NoteUserError(exchange.database);
  }
}

std::unique_ptr<iam::IamGuard> RunningServer::MakeIamGuard(iam::Principals principals) {
  return std::make_unique<iam::IamGuard>(iam::GuardOptions{
      .enforces = options_.iam == IamMode::kEnforce,
      .principals = std::move(principals),
      .databases = databases_.get(),
      .region = options_.settings.database.region,
      .account = options_.settings.database.account_id,
      .is_secure = !options_.tls_certificate_file.empty(),
      .note = [this](const std::string& text) { log_.Write(LogLevel::kWarning, text); }});
}

absl::StatusOr<http::Handler*> RunningServer::FindCallHandler(http::AuthenticatorOptions auth) {
  http::WireOptions wire = MakeWireOptions(options_, limits_, &events_);
  wire.auth = std::move(auth);
  wire.guard = guard_.get();
  const std::function<void(const http::ExchangeRecord&)> count_request =
      [this](const http::ExchangeRecord& exchange) {
        counts_.Add(exchange);
        NoteError(exchange);
        if (telemetry_ != nullptr) telemetry_->calls().Record(exchange);
        if (log_request_) log_request_(exchange);
      };
  const bool counts = HasAdmin(options_) || cloudwatch_ != nullptr || telemetry_ != nullptr;
  wire.record = counts ? count_request : log_request_;
  if (answerer_ == nullptr) {
    wire.handovers = handovers_.get();
    service_ = std::make_unique<DatabaseService>(databases_.get());
    wire_ = std::make_unique<http::Wire>(service_.get(), wire);
    return WithCloudwatch(wire, wire_.get());
  }
  DYNOLITH_RETURN_IF_ERROR(answerer_->Start({.databases = databases_.get(),
                                             .log = &log_,
                                             .events = &events_,
                                             .trace = recorder_.get(),
                                             .wire = std::move(wire)}));
  return answerer_->handler();
}

AdminOptions RunningServer::MakeAdminOptions(AdminGuardOptions guard, http::Handler* next) {
  AdminOptions admin = {
      .databases = databases_.get(),
      .guard = std::move(guard),
      .data_folder = options_.settings.database.path,
      .only_reads = options_.settings.database.read_only,
      .metrics = [this](DatabaseInstance& of) { return RenderMetrics(of); },
      .handovers = handovers_.get(),
      .next = next,
      .record = [this](const http::ExchangeRecord& exchange) { NoteAdminRequest(exchange); },
      .fail = [this](const http::FailureRecord& failure) { events_.NoteFailure(failure); }};
  admin.foreign = [this](const http::Request& request, http::Response* response) {
    return AnswerCloudwatch(request, response);
  };
  admin.first = [this](const AdminRequest& request, JsonResponse* answer) {
    return AnswerAdmin(request, answer);
  };
  return admin;
}

bool RunningServer::AnswerAdmin(const AdminRequest& request, JsonResponse* answer) {
  if (answerer_ != nullptr) return answerer_->AnswerAdmin(request, answer);
  if (guard_ != nullptr && request.path == iam::IamGuard::kExplainPath) {
    guard_->Explain(request, answer);
    return true;
  }
  if (kinesis_ != nullptr && kinesis::KinesisSender::IsPath(request.path)) {
    kinesis_->Answer(request, answer);
    return true;
  }
  if (shipping_ != nullptr && Shipping::IsPath(request.path)) {
    shipping_->Answer(request, answer);
    return true;
  }
  if (receiving_ != nullptr && Receiving::IsPath(request.path)) {
    receiving_->Answer(request, answer);
    return true;
  }
  if (options_.settings.database.follow && IsFollowingPath(request.path)) {
    AnswerFollowing(request, &databases_->first(), answer);
    return true;
  }
  if (targets_ == nullptr || !targets::StreamTargets::IsPath(request.path)) return false;
  targets_->Answer(request, answer);
  return true;
}

absl::StatusOr<std::string> RunningServer::RenderMetrics(DatabaseInstance& database) const {
  const DatabaseInstance::Use use = database.Begin();
  if (!use) return absl::InternalError(messages::DatabaseNotOpen());
  return MetricsText(CollectMetrics(*use.database(), &database == &databases_->first()));
}

MetricFamilies RunningServer::CollectMetrics(const Database& database, bool is_first) const {
  const http::Server* const server = started_;  // nullptr before it has started
  const size_t connections = server != nullptr ? server->counters().connections : 0;
  MetricFamilies families;
  AddServerMetrics(database, counts_, connections, &families);
  if (answerer_ != nullptr) answerer_->AddMetrics(&families);
  if (handovers_ != nullptr) handovers_->AddMetrics(&families);
  if (kinesis_ != nullptr && is_first) kinesis_->AddMetrics(&families);
  if (shipping_ != nullptr && is_first) shipping_->AddMetrics(&families);
  if (receiving_ != nullptr && is_first) receiving_->AddMetrics(&families);
  if (options_.settings.database.follow && is_first) AddFollowingMetrics(database, &families);
  if (telemetry_ != nullptr && is_first) telemetry_->AddMetrics(&families);
  return families;
}

absl::Status RunningServer::TakePorts() {
  http::ServerOptions server_options = MakeServerOptions(options_, limits_, &log_);
  if (answerer_ != nullptr) server_options.waiting_workers = answerer_->waiting_workers();
  // Without an admin endpoint, too, calls are forwarded as before.
  const std::string handovers = FileBesideFolder(options_, kHandoversEnding);
  std::error_code ignored;
  if (answerer_ == nullptr && std::filesystem::exists(handovers, ignored)) {
    server_options.waiting_workers = std::max(server_options.waiting_workers,
                                              std::min(kDatabaseWorkers, limits_.waiting_workers));
  }
  DYNOLITH_ASSIGN_OR_RETURN(server_, http::Server::Open(server_options));
  return absl::OkStatus();
}

absl::Status RunningServer::Listen(http::Handler* handler, Admin* admin) {
  if (server_ == nullptr) DYNOLITH_RETURN_IF_ERROR(TakePorts());
  // It ends before whom it asks.
  const std::unique_ptr<http::Server> server = std::move(server_);
  DYNOLITH_RETURN_IF_ERROR(server->Begin(handler));
  started_ = server.get();
  if (limits_.has_own_budget) {
    log_.Write(LogLevel::kInfo,
               messages::OwnMemoryBudget(limits_.memory_bytes, limits_.memory_budget_bytes));
  }
  WarnOfOpenDoors(options_, server->only_this_machine(), &log_);
  SayReady(options_, answerer_, server->ports(), databases_->first().Begin());
  // Without a thread now, its work begins with the next call that wakes it.
  if (telemetry_ != nullptr) telemetry_->Begin().IgnoreError();
  // A look that finds no memory is made up for by the next.
  const auto look = [&] { CatchThrown([&] { return LookAround(admin); }).IgnoreError(); };
  WaitForEndSignal(look);
  if (targets_ != nullptr) targets_->Stop();
  if (kinesis_ != nullptr) kinesis_->Stop();
  StopServer(*databases_, server.get());
  if (shipping_ != nullptr) shipping_->Stop();
  look();
  if (telemetry_ != nullptr) telemetry_->Stop();
  started_ = nullptr;
  return absl::OkStatus();
}

absl::Status RunningServer::LookAround(Admin* admin) {
  admin->EndIdle();
  if (cloudwatch_ != nullptr) cloudwatch_->CatchUp();
  // A move of the manual clock answers with them itself.
  if (options_.settings.manual_clock) return absl::OkStatus();
  const absl::Status failure = TakeBackgroundFailure(*databases_);
  if (!failure.ok()) events_.NoteBackgroundFailure(failure);
  return absl::OkStatus();
}

// What some options mean for the first database: the first region is its own, and it follows what
// its folder receives.
ServeOptions WithImplied(ServeOptions options) {
  DatabaseOptions& database = options.settings.database;
  if (!options.regions.empty()) database.region = options.regions.front();
  if (!options.receive.url.empty()) database.follow = database.read_only = true;
  options.receive.is_over = &HasEndSignal;
  return options;
}

absl::Status Run(const ServeOptions& given, CallAnswerer* answerer) {
  DYNOLITH_RETURN_IF_ERROR(CheckRegions(given));
  DYNOLITH_RETURN_IF_ERROR(CheckFollowing(given));
  const ServeOptions options = WithImplied(given);
  TakeSignals();
  DYNOLITH_ASSIGN_OR_RETURN(const ServeLimits limits, FindServeLimits(RequestedLimits(options)));
  GiveBackMemory(limits);
  // A store opens files before the server listens.
  http::RaiseFileLimit();
  return RunningServer(options, limits, answerer).Run();
}

}  // namespace

absl::Status Serve(const ServeOptions& options) { return ServeFor(options, nullptr); }

absl::Status ServeFor(const ServeOptions& options, CallAnswerer* answerer) {
  try {
    return Run(options, answerer);
  } catch (const std::exception& error) {
    // A thread or memory was missing at the start; requests have a wall of their own.
    return absl::ResourceExhaustedError(messages::ServerNotStarted(error.what()));
  }
}

}  // namespace dynolith
