// `dynolith serve`: the server's process from start to signal.
#ifndef DYNOLITH_TOOLS_DYNOLITH_SERVE_H_
#define DYNOLITH_TOOLS_DYNOLITH_SERVE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "api/service/named_databases.h"
#include "dynolith/capacity_options.h"
#include "dynolith/control_rates.h"
#include "dynolith/database.h"
#include "dynolith/staleness_options.h"
#include "tools/dynolith/log.h"
#include "tools/http/network.h"
#include "tools/wire/authenticator.h"
#include "tools/wire/page_guard.h"

namespace dynolith {

struct ServeOptions {
  std::string host = "127.0.0.1";
  uint16_t port = 8000;
  std::string data_folder;  // empty: in memory
  // Files and folders of tables and items that are loaded before the first call.
  std::vector<std::string> seeds;
  // Values of parameters and references in them, by name.
  std::map<std::string, std::string> seed_parameters;
  // What their templates are loaded without.
  std::set<std::string> seed_left_out;
  std::string buckets_folder;  // empty: there are no buckets
  http::AuthMode auth = http::AuthMode::kShape;
  std::string credentials_file;
  http::PageGuardOptions pages;
  std::string region = "us-east-1";
  // Whether SearchVectors is refused on hosts of other names than the service has for it.
  bool search_endpoint = false;
  int threads = 0;  // 0: as many as the machine has
  bool sync = false;
  size_t memory_budget_bytes = 0;  // 0: none
  // Parts of it, or the defaults of DatabaseOptions.
  std::optional<size_t> cache_bytes;
  std::optional<size_t> item_cache_bytes;
  std::string tls_certificate_file;
  std::string tls_key_file;
  LogOptions log;
  VectorSearch vector_search = VectorSearch::kExact;
  size_t vector_graph_bytes = size_t{1} << 30;
  // Whether writes that overlap a transaction fail instead of waiting.
  bool fail_on_conflict = false;
  // Whether what an UpdateExpression is charged has the limit of an item, too.
  bool charge_updates = true;
  CapacityOptions capacity;
  // Of calls that are not about items.
  ControlRates control_rates;
  // Whether the hot keys of all tables are watched.
  bool hot_keys = false;
  // Requests are traced into this file and those that it replaces; empty: they are not.
  std::string trace_file;
  int64_t trace_megabytes = 64;  // of each file
  int trace_files = 4;
  bool trace_plain_keys = false;
  // What eventually consistent reads may see.
  StalenessOptions staleness;
  // Seconds between two sweeps of expired items; 0: none.
  double ttl_sweep_seconds = 1;
  // Shards of a new stream; 0: one for each partition that the table has at first, at most four.
  int stream_shards = 0;
  // Seconds that tables and indexes stay CREATING, UPDATING and DELETING.
  double table_delay_seconds = 0;
  // Whether the clock stands still until it is moved. Then the admin endpoint is there in any case.
  bool manual_clock = false;
  // Where it stands at first, as ParseTimeText reads it; empty: at the machine's time, or at the
  // latest time in the folder if that is later.
  std::string clock_start;
  // Whether programs on this machine may use /_dynolith/ (tools/dynolith/admin.h).
  bool admin = false;
  // Who else may, besides those programs; either implies `admin`. Empty: nobody.
  std::string admin_token_file;
  std::vector<http::Network> admin_networks;
  // Whether who calls has databases of its own, by what a call is signed for.
  bool isolate_by_region = false;
  bool isolate_by_access_key = false;
  // Whether a call makes the database that it names; nullopt: unless it is in a folder, and named
  // by a header.
  std::optional<bool> calls_make_databases;
  // With names, and of those in a folder how many are open at once; 0: as the limit of files says.
  size_t databases_max = NamedDatabasesOptions::kDatabasesMax;
  size_t databases_open = 0;
  // Called once calls are answered, behind the line that says so; may be empty.
  std::function<void(std::string_view url)> ready;
};

// Opens the database, serves until SIGTERM, SIGINT or SIGHUP, and closes it. A SIGHUP that whoever
// started the process has it ignore, such as nohup, stays ignored. Prints one line to standard
// output once calls are answered, and events to the log. Errors say why it could not start.
absl::Status Serve(const ServeOptions& options);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_SERVE_H_
