// `dynolith serve`: the server's process from start to signal.
#ifndef DYNOLITH_TOOLS_SERVER_SERVE_H_
#define DYNOLITH_TOOLS_SERVER_SERVE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/json/json_response.h"
#include "api/service/admin_request.h"
#include "api/service/database_options.h"
#include "api/service/named_databases.h"
#include "tools/server/http/handler.h"
#include "tools/server/http/network.h"
#include "tools/server/log.h"
#include "tools/server/metrics/metric_families.h"
#include "tools/server/server_log.h"
#include "tools/server/trace/trace_recorder.h"
#include "tools/server/wire/authenticator.h"
#include "tools/server/wire/page_guard.h"
#include "tools/server/wire/wire.h"
#include "tools/ship/receiver.h"
#include "tools/ship/shipper.h"

namespace dynolith {

class Store;

enum class IamMode : uint8_t {
  kOff,      // every caller who is authenticated may do everything
  kAudit,    // the same, but the log says which calls policies would refuse
  kEnforce,  // policies are obeyed
};

struct ServeOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 8000;
  // The options of opening the databases; without a path in memory.
  OpenSettings settings;
  // Opens a store that other servers use as well, in place of the settings' path; empty: that path.
  std::function<absl::StatusOr<std::unique_ptr<Store>>()> open_store;
  // What the line calls it that says that the server is ready; called when it is open.
  std::function<std::string()> store_place;
  // Files and folders with tables and items, which are loaded before the first call.
  std::vector<std::string> seeds;
  // Values of their parameters and references, by name.
  std::map<std::string, std::string> seed_parameters;
  // The parts of their templates that are left out.
  std::set<std::string> seed_left_out;
  http::AuthMode auth = http::AuthMode::kShape;
  std::string credentials_file;
  IamMode iam = IamMode::kOff;
  // Users, roles and sessions (tools/server/iam/principals.h); with kOff empty.
  std::string iam_folder;
  http::PageGuardOptions pages;
  // Whether SearchVectors is refused on hosts other than the service's names for it.
  bool search_endpoint = false;
  int threads = 0;  // 0: as many as the machine has
  std::string tls_certificate_file;
  std::string tls_key_file;
  LogOptions log;
  // The file of the trace, beside which its predecessors are kept; empty: no trace.
  std::string trace_file;
  int64_t trace_megabytes = 64;  // of each file
  int trace_files = 4;
  bool trace_plain_keys = false;
  // Whether calls are counted for CloudWatch, whose calls are answered, too; and how long after its
  // end a minute appears there.
  bool cloudwatch = false;
  int64_t cloudwatch_delay_seconds = 60;
  // Whether spans of calls and figures are sent by OTLP (tools/server/otlp): where to (empty: what
  // OpenTelemetry's variables say), the ratio of calls that are traced if their callers have not
  // decided, and how often figures are sent.
  bool otlp = false;
  std::string otlp_url;
  double otlp_sample_ratio = 1;
  int64_t otlp_interval_seconds = 60;
  // What the streams of the first database's tables call: "TABLE=TARGET", and a file of mappings
  // (tools/server/targets/mapping.h); empty: nothing.
  std::vector<std::string> on_stream;
  std::string stream_targets_file;
  // The endpoint to which the changes of the first database's tables go that have Kinesis
  // destinations (tools/server/kinesis); empty: destinations have states only.
  std::string kinesis_url;
  // Where the first database's folder is shipped to (tools/ship); without a URL nowhere. What it
  // asks of the server is set by the server.
  ship::ShipOptions ship;
  // From where that folder receives what another server ships (tools/ship/receiver); without a URL
  // from nowhere. It is followed then.
  ship::ReceiveOptions receive;
  // The first time of a manual clock, as ParseTimeText reads it; empty: the machine's time, or the
  // latest time in the folder if that is later. A manual clock always enables the admin endpoint.
  std::string clock_start;
  // Whether programs on this machine may use /_dynolith/ (tools/server/admin.h).
  bool admin = false;
  // Other permitted callers, besides those programs; either implies `admin`. Empty: none.
  std::string admin_token_file;
  std::vector<http::Network> admin_networks;
  // Whether each caller has separate databases, by the access key and region of its calls.
  bool isolate_by_region = false;
  bool isolate_by_access_key = false;
  // Several regions over one clock, the first of which gets calls without a signature; it replaces
  // that of the settings. Empty: that one, which all calls get, wherever they are signed for.
  std::vector<std::string> regions;
  // Of each of those a port more: calls by it get that region, wherever they are signed for. A name
  // at most once. 0: a free one.
  struct RegionPort {
    std::string region;
    uint16_t port = 0;
  };
  std::vector<RegionPort> region_ports;
  // Whether a call creates a missing database that it names; nullopt: only if databases are in
  // memory or are not named by a header.
  std::optional<bool> calls_make_databases;
  // The most named databases, and the most open ones in a folder; 0: by the limit of open files.
  size_t databases_max = NamedDatabasesOptions::kDatabasesMax;
  size_t databases_open = 0;
  // Called once the server is ready, after printing the line; may be empty.
  std::function<void(std::string_view url)> ready;
};

// What a server gives to whoever answers calls in place of its databases. Borrowed, until the
// server ends.
struct ServeParts {
  NamedDatabases* databases = nullptr;
  Log* log = nullptr;
  ServerLog* events = nullptr;
  trace::TraceRecorder* trace = nullptr;  // nullptr: none
  // Who may call, and who is told of calls.
  http::WireOptions wire;
};

// Answers calls in place of the databases (tools/proxy). Thread-safe once it has started.
class CallAnswerer {
 public:
  virtual ~CallAnswerer() = default;
  // Before the server listens. Errors: the reason for which it cannot start.
  virtual absl::Status Start(ServeParts parts) = 0;
  virtual http::Handler* handler() = 0;
  // Its threads for calls in Lane::kWaiting.
  virtual int waiting_workers() const = 0;
  // How the line that says that the server is ready goes on: "for http://…".
  virtual std::string Place() const = 0;
  // Answers requests of the admin endpoint; false: it leaves that to the endpoint.
  virtual bool AnswerAdmin(const AdminRequest& request, JsonResponse* answer) = 0;
  // More figures.
  virtual void AddMetrics(MetricFamilies* families) const = 0;
  // After the last call: finishes what they have left behind.
  virtual void Finish() = 0;
};

// Opens the database, serves until SIGTERM, SIGINT or SIGHUP, and closes it. A SIGHUP that the
// process was started to ignore, as by nohup, stays ignored. Prints one line to standard output
// once it is ready, and events to the log. Errors: the reason for which it could not start.
absl::Status Serve(const ServeOptions& options);
// The same with calls that `answerer` answers.
absl::Status ServeFor(const ServeOptions& options, CallAnswerer* answerer);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_SERVER_SERVE_H_
