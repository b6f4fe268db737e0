// The program: reads the command line and does what it says.
#include <nss.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "api/settings/staleness_text.h"
#include "engine/base/errors.h"
#include "engine/base/messages/c_face.h"
#include "engine/base/messages/program.h"
#include "engine/base/strings.h"
#include "tools/dynolith/backup.h"
#include "tools/dynolith/check.h"
#include "tools/dynolith/completion.h"
#include "tools/dynolith/dissect.h"
#include "tools/dynolith/doctor.h"
#include "tools/dynolith/help_text.h"
#include "tools/dynolith/lab.h"
#include "tools/dynolith/load.h"
#include "tools/dynolith/option_checks.h"
#include "tools/dynolith/ping.h"
#include "tools/dynolith/quickstart.h"
#include "tools/dynolith/repair.h"
#include "tools/dynolith/serve.h"
#include "tools/dynolith/top.h"
#include "tools/dynolith/usage_errors.h"
#include "tools/http/network.h"

namespace {

using dynolith::Between;
using dynolith::OneOf;
using dynolith::Path;
using dynolith::Region;
using dynolith::Seconds;
using dynolith::Size;
using dynolith::WholeBetween;

constexpr const char* kExitCodes =
    "Exit codes:\n"
    "  0  all is well\n"
    "  1  it is not: standard error says why, check prints what disagrees, verify what is damaged\n"
    "  2  the command line makes no sense\n"
    "  3  repair has saved what could be read, but not all could\n"
    "  130  an experiment or a load was interrupted\n";
constexpr int kInterrupted = 130;

int Finish(const absl::Status& status) {
  if (status.ok()) return 0;
  std::fputs(dynolith::messages::Failed(dynolith::MessageOf(status)).c_str(), stderr);
  return 1;
}

// 0: none.
void AddMemoryBudget(CLI::App* command, size_t* bytes) {
  command
      ->add_option("--memory-budget", *bytes,
                   "Memory for all that grows with use, whatever lies in the data folder, e.g. "
                   "256MB; at least 16MB. It is divided among what is written, blocks and items "
                   "that are read, and requests (default: each has its own bound)")
      ->transform(Size());
}

// How closely the service's own timing is followed.
void AddTiming(CLI::App* serve, dynolith::ServeOptions* options) {
  static const std::map<std::string, bool> kConflicts = {{"wait", false}, {"fail", true}};
  serve
      ->add_option("--conflicts", options->fail_on_conflict,
                   "wait (the default): writes that overlap a transaction wait for it; fail: they "
                   "get the service's conflict")
      ->transform(CLI::CheckedTransformer(kConflicts).description(""))
      ->transform(OneOf("wait|fail"))
      ->type_name("wait|fail");
  static const std::map<std::string, double> kOff = {{"off", 0}};
  serve
      ->add_option("--ttl-sweep", options->ttl_sweep_seconds,
                   "Seconds between two sweeps of expired items, on the clock; 0 or off: no sweeps")
      ->transform(CLI::Transformer(kOff).description(""))
      ->check(Seconds())
      ->capture_default_str();
  serve
      ->add_option("--stream-shards", options->stream_shards,
                   "Shards of a new stream; 0: as many as the table has partitions at first")
      ->check(WholeBetween(0, 64))
      ->capture_default_str();
  serve
      ->add_option(
          "--table-delay", options->table_delay_seconds,
          "Seconds that tables and indexes stay CREATING, UPDATING and DELETING, on the clock")
      ->check(Seconds())
      ->capture_default_str();
}

// In what regions of the service differ.
void AddRegions(CLI::App* serve, dynolith::ServeOptions* options) {
  static const std::map<std::string, bool> kSizes = {{"charge", true}, {"item", false}};
  serve
      ->add_option("--update-size", options->charge_updates,
                   "What of an UpdateItem may be 400 KB. charge (the default): its item, and what "
                   "its UpdateExpression writes with a cost for each clause, as in us-east-1 and "
                   "most regions; item: its item")
      ->transform(CLI::CheckedTransformer(kSizes).description(""))
      ->transform(OneOf("charge|item"))
      ->type_name("charge|item");
}

// How searches of vectors find what is near.
void AddVectors(CLI::App* serve, dynolith::ServeOptions* options) {
  static const std::map<std::string, dynolith::VectorSearch> kSearches = {
      {"exact", dynolith::VectorSearch::kExact},
      {"approximate", dynolith::VectorSearch::kApproximate}};
  serve
      ->add_option(
          "--vector-search", options->vector_search,
          "exact (the default): SearchVectors compares every vector; approximate: in large "
          "indexes it goes through a graph in memory, which is faster and may miss some")
      ->transform(CLI::CheckedTransformer(kSearches).description(""))
      ->transform(OneOf("exact|approximate"))
      ->type_name("exact|approximate");
  serve
      ->add_option("--vector-memory", options->vector_graph_bytes,
                   "Memory for the graphs of --vector-search approximate, e.g. 4GB (default: 1GB); "
                   "indexes whose graphs do not fit are searched exactly")
      ->transform(Size());
}

// Where SearchVectors is answered.
void AddSearchEndpoint(CLI::App* serve, dynolith::ServeOptions* options) {
  static const std::map<std::string, bool> kEndpoints = {{"any", false}, {"own", true}};
  serve
      ->add_option("--search-endpoint", options->search_endpoint,
                   "any (the default): SearchVectors is answered under every name; own: only under "
                   "search-dynamodb.… and ….search-ddb.…, such as "
                   "http://search-dynamodb.localhost:8000, and refused elsewhere as by the service")
      ->transform(CLI::CheckedTransformer(kEndpoints).description(""))
      ->transform(OneOf("any|own"))
      ->type_name("any|own");
}

// What becomes of calls that are too many.
void AddCapacity(CLI::App* serve, dynolith::ServeOptions* options) {
  static const std::map<std::string, dynolith::CapacityMode> kCapacity(
      std::begin(dynolith::kCapacityModeNames), std::end(dynolith::kCapacityModeNames));
  serve
      ->add_option("--capacity", options->capacity.mode,
                   "account (the default): capacity is counted, nothing is refused; enforce: "
                   "requests beyond it are throttled as by the service; static, burst, adaptive: "
                   "as the service did it in earlier years")
      ->transform(CLI::CheckedTransformer(kCapacity).description(""))
      ->transform(OneOf("account|enforce|static|burst|adaptive"))
      ->type_name("account|enforce|…");
  serve
      ->add_option("--capacity-scale", options->capacity.scale,
                   "What of all limits is given: with 0.01 a test meets a hot partition soon")
      ->check(dynolith::Scale())
      ->type_name("FACTOR");
  serve->add_flag(
      "--hot-keys", options->hot_keys,
      "Watch which keys of all tables and indexes are hot (GET /_dynolith/hot-keys, with --admin), "
      "not only where UpdateContributorInsights asks for it");
  static const std::map<std::string, bool> kAccountLimit = {{"request-limit", false},
                                                            {"throttling", true}};
  serve
      ->add_option("--account-limit", options->capacity.account_limit_throttles,
                   "What requests above the quota of a table on demand get: request-limit (the "
                   "default), a RequestLimitExceeded; throttling, a ThrottlingException")
      ->transform(CLI::CheckedTransformer(kAccountLimit).description(""))
      ->transform(OneOf("request-limit|throttling"))
      ->type_name("request-limit|throttling");
  const auto add_rate = [&](const char* name, double* rate, const char* of) {
    serve
        ->add_option(name, *rate,
                     dynolith::Concat("Unless --capacity is account: how many calls a second ", of,
                                      ", and as many as in 10 seconds at once; 0: as many as come"))
        ->check(dynolith::CallRate())
        ->capture_default_str()
        ->type_name("N");
  };
  dynolith::ControlRates* const rates = &options->control_rates;
  add_rate("--control-changes", &rates->changes, "may change tables, tags, backups and all else");
  add_rate("--control-descriptions", &rates->descriptions, "may describe or list them");
  add_rate("--stream-descriptions", &rates->stream_descriptions, "may describe a stream");
}

// What eventually consistent reads see.
void AddStaleness(CLI::App* serve, dynolith::StalenessOptions* options) {
  serve
      ->add_option_function<std::vector<std::string>>(
          "--staleness",
          [options](const std::vector<std::string>& rules) {
            for (const std::string& rule : rules) {
              options->rules.push_back(*dynolith::ParseStalenessRule(rule));
            }
          },
          "Let eventually consistent reads see an older state: 500ms (so old), random:1s (up to "
          "1 s), held (as at the start, until released by the admin endpoint) or none, of "
          "everything or only of music=500ms, music/by-year=held, music:stream=random:1s; with "
          ",monotonic at the end never back for a client (access key); may be repeated")
      ->expected(1)
      ->take_all()
      ->check(dynolith::StalenessRuleText())
      ->type_name("RULE");
  serve
      ->add_option("--staleness-seed", options->seed,
                   "Of random staleness: the same seed gives the same states")
      ->capture_default_str()
      ->type_name("N");
}

// The clock, and how it is moved.
void AddClock(CLI::App* serve, dynolith::ServeOptions* options) {
  static const std::map<std::string, bool> kClocks = {{"system", false}, {"manual", true}};
  serve
      ->add_option("--clock", options->manual_clock,
                   "system (the default): the machine's; manual: stands still until it is moved by "
                   "POST /_dynolith/clock/advance or set (implies --admin)")
      ->transform(CLI::CheckedTransformer(kClocks).description(""))
      ->transform(OneOf("system|manual"))
      ->type_name("system|manual");
  serve
      ->add_option("--clock-start", options->clock_start,
                   "Where a manual clock stands at first: 2026-01-31T12:00:00Z or seconds since "
                   "1970; now if not given")
      ->type_name("TIME");
  serve->add_flag(
      "--admin", options->admin,
      "Show tables, items and what they do in a browser at /_dynolith/, and let programs on this "
      "machine use it: read and move the clock, sweep, hold reads back, back up, take "
      "snapshots and go back to them, make databases, set capacity, have calls fail on purpose "
      "(tools/README.md)");
}

// Who may use the admin endpoint besides programs on this machine.
void AddAdminCallers(CLI::App* serve, dynolith::ServeOptions* options) {
  serve
      ->add_option("--admin-token", options->admin_token_file,
                   "Let whoever sends the word in this file use /_dynolith/ from anywhere "
                   "(Authorization: Bearer WORD); implies --admin")
      ->check(Path())
      ->type_name("FILE");
  serve
      ->add_option_function<std::vector<std::string>>(
          "--admin-from",
          [options](const std::vector<std::string>& networks) {
            for (const std::string& network : networks) {
              options->admin_networks.push_back(*dynolith::http::ParseNetwork(network));
            }
          },
          "Let programs of this network use /_dynolith/, such as 172.16.0.0/12 or fd00::/8, not "
          "only those on this machine; may be repeated; implies --admin")
      ->expected(1)
      ->take_all()
      ->check(dynolith::CallersNetwork())
      ->type_name("CIDR");
}

// Of a server whose admin endpoint is asked.
void AddAdminToken(CLI::App* command, std::string* file) {
  command
      ->add_option("--admin-token", *file,
                   "The server's own --admin-token, to ask it from another machine or container")
      ->check(Path())
      ->type_name("FILE");
}

// Who sees the same tables.
void AddIsolation(CLI::App* serve, dynolith::ServeOptions* options) {
  serve
      ->add_option_function<std::string>(
          "--isolate",
          [options](const std::string& by) {
            options->isolate_by_region = by == "region";
            options->isolate_by_access_key = by == "access-key";
          },
          "none (the default): all see the same tables; region, access-key: each region, or access "
          "key, that calls are signed with has tables of its own, which begin as --seed says")
      ->transform(OneOf("none|region|access-key"))
      ->type_name("none|region|access-key");
  serve
      ->add_option_function<std::string>(
          "--shared-db",
          [options](const std::string& is_shared) {
            options->isolate_by_region = options->isolate_by_access_key = is_shared == "off";
          },
          "on (the default), or off: --isolate by both, as in DynamoDB Local without -sharedDb")
      ->transform(OneOf("on|off"))
      ->type_name("on|off")
      ->excludes("--isolate");
  serve
      ->add_option_function<std::string>(
          "--databases-made-by",
          [options](const std::string& by) { options->calls_make_databases = by == "call"; },
          "Who makes databases with names: call, also each call that names one; admin, only POST "
          "/_dynolith/databases (default: call, but with --data and without --isolate admin)")
      ->transform(OneOf("call|admin"))
      ->type_name("call|admin");
  serve
      ->add_option("--databases-max", options->databases_max,
                   "How many databases with names there may be")
      ->check(WholeBetween(1, 1'000'000))
      ->capture_default_str()
      ->type_name("N");
  serve
      ->add_option("--databases-open", options->databases_open,
                   "How many of those in a folder are open at once; the one that nobody has used "
                   "for longest is closed for another one (default: 100, or fewer if the process "
                   "may open few files)")
      ->check(WholeBetween(1, 100'000))
      ->type_name("N");
}

// What is kept of requests.
void AddTrace(CLI::App* serve, dynolith::ServeOptions* options) {
  CLI::Option* const file =
      serve
          ->add_option("--trace", options->trace_file,
                       "Write what each request uses of which key into this file, for dynolith lab "
                       "trace and for experiments that replay it; what the file holds already "
                       "becomes FILE.1")
          ->check(Path())
          ->type_name("FILE");
  serve->add_option("--trace-size", options->trace_megabytes, "Of each file of the trace, in MB")
      ->needs(file)
      ->check(WholeBetween(1, 1'000'000))
      ->capture_default_str()
      ->type_name("MB");
  serve
      ->add_option("--trace-files", options->trace_files,
                   "How many files there are at most: FILE, FILE.1, …; the oldest goes")
      ->needs(file)
      ->check(WholeBetween(1, 1'000))
      ->capture_default_str()
      ->type_name("N");
  static const std::map<std::string, bool> kKeys = {{"hash", false}, {"plain", true}};
  serve
      ->add_option("--trace-keys", options->trace_plain_keys,
                   "hash (the default): keys can be told apart, but not read; plain: the keys "
                   "themselves")
      ->needs(file)
      ->transform(CLI::CheckedTransformer(kKeys).description(""))
      ->transform(OneOf("hash|plain"))
      ->type_name("hash|plain");
}

// Who may call.
void AddCallers(CLI::App* serve, dynolith::ServeOptions* options) {
  static const std::map<std::string, dynolith::http::AuthMode> kModes = {
      {"off", dynolith::http::AuthMode::kOff},
      {"shape", dynolith::http::AuthMode::kShape},
      {"verify", dynolith::http::AuthMode::kVerify}};
  serve
      ->add_option("--auth", options->auth,
                   "off: no signature needed; shape (the default): requests must look signed; "
                   "verify: signatures are checked")
      ->transform(CLI::CheckedTransformer(kModes).description(""))
      ->transform(OneOf("off|shape|verify"))
      ->type_name("off|shape|verify");
  serve
      ->add_option("--credentials", options->credentials_file,
                   "For --auth verify: lines \"access_key secret_key [session_token]\"")
      ->check(Path())
      ->type_name("FILE");
  // Not more than one value for one option: the next word would be taken for another.
  serve
      ->add_option("--allow-origin", options->pages.origins,
                   "Let web pages of this origin call, not only those of localhost: "
                   "https://app.example, null or * for all; may be repeated")
      ->expected(1)
      ->take_all()
      ->check(dynolith::OriginToAllow())
      ->type_name("ORIGIN");
  serve
      ->add_option("--allow-host", options->pages.hosts,
                   "Let web pages call the server by this name, not only by localhost or an "
                   "address: db.example, or * for all; may be repeated")
      ->expected(1)
      ->take_all()
      ->check(dynolith::HostToAllow())
      ->type_name("NAME");
}

// What is written to standard error.
void AddLog(CLI::App* serve, dynolith::LogOptions* options) {
  using dynolith::LogLevel;
  static const std::map<std::string, LogLevel> kLevels = {
      {"error", LogLevel::kError}, {"warning", LogLevel::kWarning}, {"info", LogLevel::kInfo}};
  CLI::Option* const level =
      serve
          ->add_option(
              "--log-level", options->level,
              "error: what went wrong by the server's own fault; warning (the default): also what "
              "should be changed; info: also each request")
          ->transform(CLI::CheckedTransformer(kLevels).description(""))
          ->transform(OneOf("error|warning|info"))
          ->type_name("error|warning|info");
  serve
      ->add_flag_callback(
          "--verbose", [options] { options->level = LogLevel::kInfo; },
          "The same as --log-level info: one line per request")
      ->excludes(level);
  static const std::map<std::string, bool> kFormats = {{"text", false}, {"json", true}};
  serve
      ->add_option("--log-format", options->json,
                   "text (the default), or json: one JSON object a line")
      ->transform(CLI::CheckedTransformer(kFormats).description(""))
      ->transform(OneOf("text|json"))
      ->type_name("text|json");
}

// What of a file cannot be known from it.
CLI::Option* AddParameters(CLI::App* command, std::map<std::string, std::string>* parameters) {
  return command
      ->add_option_function<std::vector<std::string>>(
          "--parameter",
          [parameters](const std::vector<std::string>& values) {
            for (const std::string& value : values) {
              const size_t equals = value.find('=');
              (*parameters)[value.substr(0, equals)] = value.substr(equals + 1);
            }
          },
          "The value of a template's parameter, or of a reference that the files do not explain: "
          "Stage=dev, Key.Arn=arn:…; may be repeated")
      ->expected(1)
      ->take_all()
      ->check(dynolith::NameAndValue())
      ->type_name("NAME=VALUE");
}

// What of a template is not wanted, or not done here.
CLI::Option* AddLeftOut(CLI::App* command, std::set<std::string>* names) {
  return command
      ->add_option_function<std::vector<std::string>>(
          "--leave-out",
          [names](const std::vector<std::string>& values) {
            names->insert(values.begin(), values.end());
          },
          "A property, a transform, a macro, a section or a type of resource that templates are "
          "loaded without: SSESpecification; may be repeated. Without it what cannot be done is an "
          "error")
      ->expected(1)
      ->take_all()
      ->type_name("NAME");
}

// What is kept in memory of what lies in RocksDB.
void AddCaches(CLI::App* serve, dynolith::ServeOptions* options) {
  AddMemoryBudget(serve, &options->memory_budget_bytes);
  serve
      ->add_option("--cache", options->cache_bytes,
                   "Memory for blocks read from disk, e.g. 512MB (default: 128MB, or a part of the "
                   "memory budget)")
      ->transform(Size());
  serve
      ->add_option("--item-cache", options->item_cache_bytes,
                   "Memory for items that are read again and again, e.g. 256MB (default: 32MB, or "
                   "a part of the memory budget); 0: none")
      ->transform(Size());
}

// What is loaded before the first call.
void AddSeeds(CLI::App* serve, dynolith::ServeOptions* options) {
  CLI::Option* const seed =
      serve
          ->add_option(
              "--seed", options->seeds,
              "Load tables and items of this file or folder (dynolith load --help) before the "
              "first call; a table that is there stays as it is; may be repeated")
          ->expected(1)
          ->take_all()
          ->check(Path())
          ->type_name("FILE|DIR");
  AddParameters(serve, &options->seed_parameters)->needs(seed);
  AddLeftOut(serve, &options->seed_left_out)->needs(seed);
}

void AddServe(CLI::App* app, int* exit_code) {
  static dynolith::ServeOptions options;
  static bool memory = false;
  CLI::App* const serve = app->add_subcommand("serve", "Answer DynamoDB's protocol over HTTP");
  serve->add_option("--host", options.host, "Address to listen on")->capture_default_str();
  serve->add_option("--port", options.port, "Port to listen on; 0 picks a free one")
      ->check(WholeBetween(0, 65535))
      ->capture_default_str();
  CLI::Option* const data =
      serve->add_option("--data", options.data_folder, "Keep everything in this folder")
          ->check(Path())
          ->type_name("DIR");
  serve->add_flag("--memory", memory, "Keep everything in memory (the default)")->excludes(data);
  serve
      ->add_option("--buckets", options.buckets_folder,
                   "Folder whose subfolders stand for S3 buckets, for exports and imports")
      ->check(CLI::ExistingDirectory);
  AddSeeds(serve, &options);
  AddCallers(serve, &options);
  serve->add_option("--region", options.region, "Region in ARNs")
      ->check(Region())
      ->capture_default_str();
  serve
      ->add_option("--threads", options.threads,
                   "Event loops; 0: one for each processor that it may use")
      ->check(WholeBetween(0, 1024))
      ->capture_default_str();
  serve->add_flag("--sync", options.sync, "Acknowledged writes also survive power loss");
  AddCaches(serve, &options);
  CLI::Option* const certificate =
      serve->add_option("--tls-cert", options.tls_certificate_file, "Speak TLS: PEM certificates")
          ->check(Path())
          ->type_name("FILE");
  CLI::Option* const key = serve->add_option("--tls-key", options.tls_key_file, "PEM private key")
                               ->check(Path())
                               ->type_name("FILE");
  certificate->needs(key);
  key->needs(certificate);
  AddCapacity(serve, &options);
  AddTiming(serve, &options);
  AddRegions(serve, &options);
  AddVectors(serve, &options);
  AddSearchEndpoint(serve, &options);
  AddStaleness(serve, &options.staleness);
  AddClock(serve, &options);
  AddAdminCallers(serve, &options);
  AddIsolation(serve, &options);
  AddTrace(serve, &options);
  AddLog(serve, &options.log);
  serve->callback([exit_code] { *exit_code = Finish(dynolith::Serve(options)); });
  serve->footer(
      "Examples:\n"
      "  dynolith serve\n"
      "  dynolith serve --data /var/lib/music --port 8000\n"
      "  dynolith serve --buckets /srv/buckets\n"
      "  dynolith serve --seed template.yml --parameter Stage=dev --seed fixture\n"
      "  dynolith serve --host 0.0.0.0 --auth verify --credentials keys.txt\n"
      "  dynolith serve --allow-origin https://app.example --log-level info --log-format json\n"
      "  dynolith serve --trace music.trace --trace-size 16 --trace-files 8 --trace-keys plain\n"
      "  aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000\n"
      "  dynolith serve --clock manual --ttl-sweep 0 --table-delay 20\n"
      "  curl -d '{\"seconds\": 3600}' http://127.0.0.1:8000/_dynolith/clock/advance\n"
      "  curl -X POST http://127.0.0.1:8000/_dynolith/ttl/sweep\n"
      "  dynolith serve --admin --staleness 200ms --staleness music/by-year=random:2s,monotonic\n"
      "  curl -d '{\"table\": \"music\"}' http://127.0.0.1:8000/_dynolith/staleness/hold\n"
      "  dynolith serve --host 0.0.0.0 --admin-token admin.token --admin-from 172.16.0.0/12");
}

void AddQuickstart(CLI::App* app, int* exit_code) {
  static dynolith::QuickstartOptions options;
  CLI::App* const quickstart = app->add_subcommand(
      "quickstart", "Serve a small example, with a console, and say what to try");
  quickstart->add_option("--port", options.port, "Port to listen on; 0 picks a free one")
      ->check(WholeBetween(0, 65535))
      ->capture_default_str();
  quickstart
      ->add_option("--data", options.data_folder,
                   "Keep everything in this folder, and not in memory; a table shop that is there "
                   "stays as it is")
      ->check(Path())
      ->type_name("DIR");
  quickstart
      ->add_option("--files", options.files_folder,
                   "Leave the example's files, a table and its items, in this folder, which is "
                   "new or empty")
      ->check(Path())
      ->type_name("DIR");
  quickstart->callback([exit_code] { *exit_code = Finish(dynolith::Quickstart(options)); });
  quickstart->footer(
      "Examples:\n"
      "  dynolith quickstart\n"
      "  dynolith quickstart --port 8001 --data ./shop\n"
      "  dynolith quickstart --files ./shop-files");
}

void AddCheck(CLI::App* app, int* exit_code) {
  static std::string folder;
  CLI::App* const check = app->add_subcommand(
      "check",
      "Compare every item of a data folder with its indexes, streams, expiry rows and history");
  check->add_option("DIR", folder, "Data folder, not in use by a server")->required();
  check->footer(
      "Example:\n"
      "  dynolith check ./data");
  check->callback([exit_code] {
    const absl::StatusOr<bool> agrees = dynolith::Check(folder);
    *exit_code = agrees.ok() && !*agrees ? 1 : Finish(agrees.status());
  });
}

void AddRepair(CLI::App* app, int* exit_code) {
  static std::string folder;
  static std::string saved;
  CLI::App* const repair = app->add_subcommand(
      "repair", "Save what can be read of a damaged data folder into a new one");
  repair->add_option("DIR", folder, "Data folder, not in use by a server; stays as it is")
      ->required();
  repair->add_option("NEW", saved, "Folder that is new or empty")->required();
  repair->footer(
      "What is not as it was is named. NEW can be served: what follows from items is made anew\n"
      "where it disagreed with them, and items of a table whose name was lost are in a table\n"
      "recovered-N.\n"
      "Example:\n"
      "  dynolith repair ./data ./saved");
  repair->callback([exit_code] {
    const absl::StatusOr<bool> whole = dynolith::Repair(folder, saved);
    *exit_code = whole.ok() && !*whole ? 3 : Finish(whole.status());
  });
}

void AddBackup(CLI::App* app, int* exit_code) {
  static dynolith::BackupOptions options;
  static bool copies = false;
  static size_t keep = 0;
  CLI::App* const backup = app->add_subcommand("backup", "Add a backup of a whole store");
  backup
      ->add_option(
          "DIR|URL", options.source,
          "Data folder, not in use by a server, or the address of the server that uses it, "
          "which was started with --admin and whose data folder this machine sees")
      ->required();
  backup->add_option("TO", options.backup, "Backup folder of this store; made if it is not there")
      ->required();
  backup->add_option("--keep", keep, "Remove all backups but the last N; without it all are kept")
      ->check(WholeBetween(1, 1'000'000))
      ->type_name("N");
  backup->add_flag(
      "--copy", copies,
      "Copy table files also where links to the store's would do: links share its disk "
      "blocks, and so their damage");
  AddAdminToken(backup, &options.admin_token_file);
  backup->callback([backup, exit_code] {
    options.links = !copies;
    if (backup->count("--keep") > 0) options.keep = keep;
    *exit_code = Finish(dynolith::Backup(options));
  });
  backup->footer(
      "Each backup is whole, and takes only the space of what no earlier one has.\n"
      "Examples:\n"
      "  dynolith backup /var/lib/music /srv/backup/music\n"
      "  dynolith backup http://127.0.0.1:8000 /srv/backup/music --keep 14\n"
      "  dynolith verify /srv/backup/music\n"
      "  dynolith restore /srv/backup/music /var/lib/music-restored");
}

void AddRestore(CLI::App* app, int* exit_code) {
  static dynolith::RestoreOptions options;
  static std::string snapshot;
  CLI::App* const restore = app->add_subcommand("restore", "Make a data folder of a backup");
  restore->add_option("TO", options.backup, "Backup folder")->required();
  restore->add_option("DIR", options.folder, "Data folder that is new or empty")->required();
  CLI::Option* const named =
      restore
          ->add_option("--snapshot", snapshot,
                       "Which backup, as dynolith verify names it; the last one if not given")
          ->type_name("NAME");
  restore->callback([exit_code, named] {
    if (named->count() > 0) options.snapshot = snapshot;
    *exit_code = Finish(dynolith::Restore(options));
  });
  restore->footer(
      "Examples:\n"
      "  dynolith restore /srv/backup/music /var/lib/music-restored\n"
      "  dynolith restore /srv/backup/music ./old --snapshot 000012-20260131T120000Z");
}

void AddVerify(CLI::App* app, int* exit_code) {
  static dynolith::VerifyOptions options;
  CLI::App* const verify =
      app->add_subcommand("verify", "List backups, and compare their files with their checksums");
  verify->add_option("TO", options.backup, "Backup folder")->required();
  verify->add_flag("--quick", options.quick, "Compare lengths only, and read nothing");
  verify->callback([exit_code] {
    const absl::StatusOr<bool> whole = dynolith::Verify(options);
    *exit_code = whole.ok() && !*whole ? 1 : Finish(whole.status());
  });
  verify->footer(
      "Examples:\n"
      "  dynolith verify /srv/backup/music\n"
      "  dynolith verify /srv/backup/music --quick");
}

// Of what Ctrl-C may end: false, if it has.
int FinishRun(const absl::StatusOr<bool>& is_complete) {
  const int exit_code = Finish(is_complete.status());
  const bool is_interrupted =
      is_complete.ok() ? !*is_complete : absl::IsCancelled(is_complete.status());
  return is_interrupted ? kInterrupted : exit_code;
}

void AddLoad(CLI::App* app, int* exit_code) {
  static dynolith::LoadCommandOptions options;
  CLI::App* const load =
      app->add_subcommand("load", "Make tables and write items that stand in files");
  load->add_option(
          "FILE", options.load.files,
          "Tables: inputs of create-table, CloudFormation templates, serverless.yml, NoSQL "
          "Workbench models. Items: DynamoDB JSON, Ion, plain JSON, CSV, files of exports and of "
          "Data Pipeline, inputs of put-item and batch-write-item. Or folders with such files; "
          "that of a whole export is compared with its manifests")
      ->required()
      ->check(Path());
  load->add_option("--to", options.to,
                   "Data folder, not in use by a server, or the address of a server")
      ->required()
      ->check(Path())
      ->type_name("DIR|URL");
  static const std::map<std::string, dynolith::designs::IfExists> kChoices = {
      {"fail", dynolith::designs::IfExists::kFail},
      {"keep", dynolith::designs::IfExists::kKeep},
      {"replace", dynolith::designs::IfExists::kReplace}};
  load->add_option("--if-exists", options.load.if_exists,
                   "What becomes of a table that a file makes and that is there. fail (the "
                   "default): nothing is loaded; keep: it stays as it is, with its items; "
                   "replace: it is deleted first")
      ->transform(CLI::CheckedTransformer(kChoices).description(""))
      ->transform(OneOf("keep|replace|fail"))
      ->type_name("keep|replace|fail");
  load->add_option("--table", options.load.table,
                   "Whose items they are that stand in files without a table's name; without it "
                   "the table that the manifest of their export says, else the one that the file "
                   "is named for, else the only one that the files make")
      ->type_name("NAME");
  load->add_option("--resume", options.load.journal,
                   "A file that says how far the load has come, until it is whole: if it is there, "
                   "the load goes on from there")
      ->check(Path())
      ->type_name("FILE");
  AddMemoryBudget(load, &options.memory_budget_bytes);
  AddParameters(load, &options.load.read.parameters);
  AddLeftOut(load, &options.load.read.left_out);
  load->add_option("--region", options.load.read.region,
                   "What AWS::Region is, and which replica of a global table is loaded")
      ->check(Region())
      ->capture_default_str();
  load->callback([exit_code] {
    const absl::StatusOr<bool> whole = dynolith::Load(options);
    *exit_code = whole.ok() && !*whole ? 1 : FinishRun(whole);
  });
  load->footer(
      "Calls of a server are signed with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, if they are "
      "set.\n"
      "Examples:\n"
      "  dynolith load music.json --to http://127.0.0.1:8000\n"
      "  dynolith load template.yml --parameter Stage=dev --to ./data\n"
      "  dynolith load music.json music.items.json --to ./data --if-exists replace\n"
      "  dynolith load export/data/*.json.gz --table music --to http://127.0.0.1:8000\n"
      "  dynolith load music.items.json --to ./data --resume music.load");
}

void AddDump(CLI::App* app, int* exit_code) {
  static dynolith::DumpCommandOptions options;
  CLI::App* const dump =
      app->add_subcommand("dump", "Write tables and items into files that load takes");
  dump->add_option("DIR|URL", options.from,
                   "Data folder, not in use by a server, or the address of a server")
      ->required()
      ->check(Path());
  dump->add_option("--to", options.dump.folder, "Folder that is new or empty")
      ->required()
      ->check(Path())
      ->type_name("DIR");
  AddMemoryBudget(dump, &options.memory_budget_bytes);
  dump->add_option("--table", options.dump.tables, "Only this one; may be repeated")
      ->expected(1)
      ->take_all()
      ->type_name("NAME");
  dump->callback([exit_code] { *exit_code = Finish(dynolith::Dump(options)); });
  dump->footer(
      "Each table is a file for aws dynamodb create-table, and one of items in DynamoDB JSON.\n"
      "Examples:\n"
      "  dynolith dump http://127.0.0.1:8000 --to fixture\n"
      "  dynolith dump ./data --to fixture --table music\n"
      "  dynolith load fixture --to http://127.0.0.1:8000 --if-exists replace");
}

void AddTop(CLI::App* app, int* exit_code) {
  static dynolith::TopOptions options;
  CLI::App* const top = app->add_subcommand("top", "Show what a server does, live");
  top->add_option("URL", options.url, "Server that was started with --admin")
      ->capture_default_str();
  top->add_option("--interval", options.interval_seconds, "Seconds between two looks")
      ->check(Between(0.1, 3600))
      ->capture_default_str()
      ->type_name("SECONDS");
  top->add_flag("--once", options.once, "Print one frame as text, after one interval");
  AddAdminToken(top, &options.admin_token_file);
  top->callback([exit_code] { *exit_code = Finish(dynolith::Top(options)); });
  top->footer(
      "Calls a second with latencies, consumed units, throttling by reason, partitions and hot "
      "keys.\n"
      "Partitions are shown where capacity is enforced, keys where they are watched. q ends it.\n"
      "Examples:\n"
      "  dynolith serve --admin --hot-keys --capacity enforce\n"
      "  dynolith top\n"
      "  dynolith top http://127.0.0.1:8000 --once --interval 5");
}

void AddPing(CLI::App* app, int* exit_code) {
  static dynolith::PingOptions options;
  CLI::App* const ping = app->add_subcommand("ping", "Ask a server whether it answers");
  ping->add_option("URL", options.url, "Server, with http:// or https://")->capture_default_str();
  ping->add_option("--timeout", options.timeout_seconds, "Seconds to wait at most")
      ->check(WholeBetween(1, 3600))
      ->capture_default_str()
      ->type_name("SECONDS");
  ping->callback([exit_code] { *exit_code = Finish(dynolith::Ping(options)); });
  ping->footer(
      "For health checks: exit code 0 if it does. Certificates are not checked.\n"
      "Examples:\n"
      "  dynolith ping\n"
      "  dynolith ping http://127.0.0.1:8000 --timeout 2");
}

void AddDoctor(CLI::App* app, int* exit_code) {
  static dynolith::DoctorOptions options;
  CLI::App* const doctor = app->add_subcommand(
      "doctor", "Say what is wrong with this environment, and what to do about it");
  doctor->add_option("URL", options.url, "Where a server is, or is to be")->capture_default_str();
  doctor->add_option("--data", options.data_folder, "Look at this data folder, too")
      ->check(Path())
      ->type_name("DIR");
  doctor->callback([exit_code] {
    const absl::StatusOr<bool> is_well = dynolith::Doctor(options);
    *exit_code = is_well.ok() && !*is_well ? 1 : Finish(is_well.status());
  });
  doctor->footer(
      "It looks at the port and who answers there, what SDKs and the AWS CLI are told (endpoint,\n"
      "credentials, region, proxy), limits of this process, and the disk; it changes nothing.\n"
      "Examples:\n"
      "  dynolith doctor\n"
      "  dynolith doctor http://127.0.0.1:8001 --data ./data");
}

void AddDissectBytes(CLI::App* dissect, const char* name, dynolith::DissectKind kind,
                     const char* description, int* exit_code) {
  CLI::App* const command = dissect->add_subcommand(name, description);
  // Lives as long as the callbacks that refer to it.
  auto options = std::make_shared<dynolith::DissectBytesOptions>();
  options->kind = kind;
  CLI::Option* const hex =
      command->add_option("--hex", options->hex, "The bytes as hexadecimal digits");
  command->add_option("FILE", options->file, "File of raw bytes; standard input if there is none")
      ->excludes(hex);
  command->callback(
      [options, exit_code] { *exit_code = Finish(dynolith::DissectBytes(*options)); });
}

void AddDissect(CLI::App* app, int* exit_code) {
  using dynolith::DissectKind;
  CLI::App* const dissect = app->add_subcommand("dissect", "Print bytes with their meaning");
  dissect->require_subcommand(1);
  AddDissectBytes(dissect, "item", DissectKind::kItem, "An encoded item", exit_code);
  AddDissectBytes(dissect, "key", DissectKind::kKey, "A row key", exit_code);
  AddDissectBytes(dissect, "value", DissectKind::kValue, "An encoded attribute value", exit_code);

  static dynolith::DissectTableOptions options;
  CLI::App* const table = dissect->add_subcommand("table", "Rows of a table in a data folder");
  table->add_option("DIR", options.folder, "Data folder, not in use by a server")->required();
  table->add_option("--table", options.table, "Name of the table")->required();
  table->add_option("--index", options.index, "Rows of this index instead");
  CLI::Option* const partition = table->add_option("--partition-key", options.partition_key,
                                                   "Only rows with this partition key, as text");
  table->add_option("--sort-key", options.sort_key, "And this sort key")->needs(partition);
  table->add_option("--rows", options.rows_max, "Stop after so many rows")->capture_default_str();
  table->callback([exit_code] { *exit_code = Finish(dynolith::DissectTable(options)); });
  dissect->footer(
      "Examples:\n"
      "  dynolith dissect value --hex 0568656c6c6f\n"
      "  dynolith dissect table /var/lib/music --table songs --partition-key 'Acme Band'");
}

// What simulate and measure have in common.
void AddLabRun(CLI::App* command, dynolith::LabSimulateOptions* options) {
  command
      ->add_option("EXPERIMENT", options->experiment,
                   "File, or the name or number of an experiment of dynolith lab list")
      ->required();
  command->add_option("--design", options->design, "Only this one")->type_name("NAME");
  command->add_option("--seed", options->seed, "Instead of the experiment's own")->type_name("N");
  command->add_option("--prices", options->prices_file, "Instead of those of dynolith lab prices")
      ->check(Path())
      ->type_name("FILE");
  command
      ->add_option("--csv", options->csv_folder, "Write all series, heat, splits and keys as CSV")
      ->check(Path())
      ->type_name("DIR");
  command->add_option("--json", options->json_file, "Write the whole result as JSON")
      ->check(Path())
      ->type_name("FILE");
  command
      ->add_option("--report", options->report_file,
                   "Write a page for a browser: loads, heat maps, hottest keys and costs")
      ->check(Path())
      ->type_name("FILE");
}

void AddLabSimulate(CLI::App* lab, int* exit_code) {
  static dynolith::LabSimulateOptions options;
  CLI::App* const simulate =
      lab->add_subcommand("simulate", "Run an experiment in virtual time, and show what happened");
  AddLabRun(simulate, &options);
  simulate->callback([exit_code] { *exit_code = FinishRun(dynolith::LabSimulate(options)); });
  simulate->footer(
      "Ctrl-C ends the run and shows what there is so far.\n"
      "Examples:\n"
      "  dynolith lab simulate celebrity\n"
      "  dynolith lab simulate celebrity --report celebrity.html\n"
      "  dynolith lab simulate shop.toml --csv ./shop --json shop.json");
}

void AddLabTrace(CLI::App* lab, int* exit_code) {
  static std::string file;
  static std::string csv_file;
  CLI::App* const trace = lab->add_subcommand("trace", "Show what a trace of requests holds");
  trace->add_option("FILE", file, "That dynolith serve --trace FILE has written, or is writing")
      ->required();
  trace->add_option("--csv", csv_file, "Write a row for each access into this file instead")
      ->check(Path())
      ->type_name("FILE");
  trace->callback([exit_code] { *exit_code = Finish(dynolith::LabTrace(file, csv_file)); });
  trace->footer(
      "Files that it replaced, FILE.1 and so on, are read with it if they are of the same run.\n"
      "Examples:\n"
      "  dynolith serve --trace music.trace\n"
      "  dynolith lab trace music.trace\n"
      "  dynolith lab trace music.trace --csv music.csv\n"
      "  dynolith lab new --from replay music.toml");
}

void AddLabTarget(CLI::App* measure, dynolith::LabMeasureOptions* options) {
  CLI::Option* const endpoint =
      measure->add_option("--endpoint", options->endpoint,
                          "Ask this one, which may be any of DynamoDB, instead of the library in "
                          "this process; signed with AWS_ACCESS_KEY_ID and its like");
  endpoint->type_name("URL");
  measure
      ->add_option("--ca", options->certificates_file,
                   "Certificates (PEM) that an endpoint with TLS is checked against, instead of "
                   "the system's")
      ->check(Path())
      ->needs(endpoint)
      ->type_name("FILE");
  measure->add_option("--data", options->data_folder, "Of the library, instead of in memory")
      ->check(Path())
      ->excludes(endpoint)
      ->type_name("DIR");
  measure
      ->add_flag("--unlimited", options->is_unlimited,
                 "The library refuses nothing, however much is asked for")
      ->excludes(endpoint);
  measure->add_option("--prefix", options->prefix, "Of the names of tables")
      ->capture_default_str()
      ->type_name("TEXT");
  measure->add_flag("--keep", options->keeps_tables, "Leave the tables there afterwards");
}

void AddLabMeasure(CLI::App* lab, int* exit_code) {
  static dynolith::LabMeasureOptions options;
  CLI::App* const measure = lab->add_subcommand(
      "measure",
      "Run an experiment with real requests, and show what happened and how long it took");
  AddLabRun(measure, &options.run);
  AddLabTarget(measure, &options);
  measure->add_option("--duration", options.duration_seconds, "Instead of the experiment's own")
      ->check(Between(1, 1e7))
      ->type_name("SECONDS");
  measure->add_option("--load", options.load, "Times the experiment's loads, or a replay's speed")
      ->check(dynolith::Scale())
      ->type_name("FACTOR");
  measure
      ->add_option("--connections", options.connections,
                   "So many at once; otherwise as many as it takes to keep the schedule")
      ->check(WholeBetween(1, 4'096))
      ->type_name("N");
  measure
      ->add_option("--warmup", options.warm_up_seconds,
                   "Seconds of the load before the run, which are left out of all figures")
      ->check(Seconds())
      ->capture_default_str()
      ->type_name("SECONDS");
  measure->add_option("--items", options.items, "Load at most so many into a table, for reads")
      ->check(WholeBetween(0, 1'000'000'000))
      ->capture_default_str()
      ->type_name("N");
  measure->callback([exit_code] { *exit_code = FinishRun(dynolith::LabMeasure(options)); });
  measure->footer(
      "Tables are made, and deleted afterwards. Ctrl-C ends the run and shows what there is so "
      "far.\n"
      "Examples:\n"
      "  dynolith lab measure ycsb-a --design 2,000/s --duration 30\n"
      "  dynolith lab measure ycsb-a --endpoint http://localhost:8000 --report ycsb-a.html\n"
      "  dynolith lab measure shop.toml --endpoint https://dynamodb.eu-west-1.amazonaws.com");
}

void AddLabAdvise(CLI::App* lab, int* exit_code) {
  static dynolith::LabAdviseOptions options;
  static uint64_t seed = 0;
  static double throttled = 0;
  CLI::App* const advise = lab->add_subcommand(
      "advise", "Find the cheapest design that serves a load, and say why others do not");
  advise
      ->add_option("EXPERIMENT", options.experiment,
                   "File, or the name or number of an experiment of dynolith lab list")
      ->required();
  CLI::Option* const share =
      advise
          ->add_option("--throttled", throttled,
                       "Part of any access that may be throttled, such as 0.001; instead of the "
                       "experiment's own")
          ->check(Between(0, 1))
          ->type_name("SHARE");
  advise->add_option("--design", options.design, "Begin with this one instead of with none")
      ->type_name("NAME");
  CLI::Option* const given =
      advise->add_option("--seed", seed, "Instead of the experiment's own")->type_name("N");
  advise->add_option("--threads", options.threads, "Simulations at a time; all cores by default")
      ->check(WholeBetween(1, 1'024))
      ->type_name("N");
  advise->add_option("--prices", options.prices_file, "Instead of those of dynolith lab prices")
      ->check(Path())
      ->type_name("FILE");
  advise->add_option("--json", options.json_file, "Write the advice as JSON")
      ->check(Path())
      ->type_name("FILE");
  advise
      ->add_option("--report", options.report_file,
                   "Write a page for a browser with the designs side by side")
      ->check(Path())
      ->type_name("FILE");
  advise->callback([exit_code, given, share] {
    if (given->count() > 0) options.seed = seed;
    if (share->count() > 0) options.throttled = throttled;
    const absl::StatusOr<bool> is_complete = dynolith::LabAdvise(options);
    *exit_code = is_complete.ok() && !*is_complete ? kInterrupted : Finish(is_complete.status());
  });
  advise->footer(
      "What may change stands in the experiment's [advise]; without it billing, units, auto "
      "scaling,\n"
      "and the shards of what some design has in shards. Ctrl-C ends the search and shows what "
      "there\n"
      "is so far.\n"
      "Examples:\n"
      "  dynolith lab advise celebrity\n"
      "  dynolith lab advise date-key --throttled 0.01\n"
      "  dynolith lab advise shop.toml --report advice.html --json advice.json");
}

void AddLab(CLI::App* app, int* exit_code) {
  static std::string file;
  static std::string shipped;
  static std::string checked;
  CLI::App* const lab = app->add_subcommand(
      "lab", "Experiments on hot partitions, sharding, capacity and what they cost");
  lab->require_subcommand(1);
  CLI::App* const make = lab->add_subcommand("new", "Write a commented experiment to begin with");
  make->add_option("FILE", file, "That is not there yet; standard output if it is left out");
  make->add_option("--from", shipped,
                   "A copy of this experiment of dynolith lab list; replay: one that replays a "
                   "trace")
      ->type_name("NAME");
  make->callback([exit_code] { *exit_code = Finish(dynolith::LabNew(file, shipped)); });
  CLI::App* const check =
      lab->add_subcommand("check", "Say what in an experiment's file makes no sense, and where");
  check->add_option("FILE", checked, "Experiment")->required();
  check->callback([exit_code] { *exit_code = Finish(dynolith::LabCheck(checked)); });
  lab->add_subcommand("list", "The experiments that come with the program")->callback([exit_code] {
    *exit_code = Finish(dynolith::LabList());
  });
  lab->add_subcommand("prices", "The prices by which costs are reckoned, as a file to edit")
      ->callback([exit_code] { *exit_code = Finish(dynolith::LabPrices()); });
  AddLabTrace(lab, exit_code);
  AddLabSimulate(lab, exit_code);
  AddLabMeasure(lab, exit_code);
  AddLabAdvise(lab, exit_code);
  lab->footer(
      "Examples:\n"
      "  dynolith lab list\n"
      "  dynolith lab simulate celebrity\n"
      "  dynolith lab measure ycsb-b --endpoint http://localhost:8000\n"
      "  dynolith lab new shop.toml\n"
      "  dynolith lab simulate shop.toml\n"
      "  dynolith lab advise shop.toml");
}

// All others are there.
void AddCompletion(CLI::App* app, int* exit_code) {
  static std::string shell;
  CLI::App* const completion =
      app->add_subcommand("completion", "Print what a shell completes behind dynolith");
  completion->add_option("SHELL", shell, "Which shell")
      ->required()
      ->transform(OneOf(dynolith::kShells))
      ->type_name(dynolith::kShells);
  completion->callback([app, exit_code] {
    std::fputs(dynolith::CompletionScript(*app, shell).c_str(), stdout);
    *exit_code = std::fflush(stdout) == 0 ? 0 : 1;
  });
  completion->footer(
      "Examples:\n"
      "  eval \"$(dynolith completion bash)\"      # in ~/.bashrc\n"
      "  eval \"$(dynolith completion zsh)\"       # in ~/.zshrc, behind compinit\n"
      "  dynolith completion fish | source        # in ~/.config/fish/config.fish");
}

// The commands in the order of --help.
struct Command {
  std::string_view name;
  void (*add)(CLI::App* app, int* exit_code);
};
constexpr Command kCommands[] = {
    {"quickstart", AddQuickstart},
    {"serve", AddServe},
    {"check", AddCheck},
    {"repair", AddRepair},
    {"backup", AddBackup},
    {"restore", AddRestore},
    {"verify", AddVerify},
    {"load", AddLoad},
    {"dump", AddDump},
    {"top", AddTop},
    {"ping", AddPing},
    {"doctor", AddDoctor},
    {"dissect", AddDissect},
    {"lab", AddLab},
    {"completion", AddCompletion},
};

// nullptr: there is no such command.
const Command* CommandOf(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kCommands), std::end(kCommands),
                                         [&](const Command& each) { return each.name == name; });
  return found == std::end(kCommands) ? nullptr : found;
}

// The one command that the line begins with, or else all: to describe all options of all commands
// takes as long as to open a store.
void AddCommands(CLI::App* app, std::string_view first, int* exit_code) {
  const Command* const named = CommandOf(first);
  if (named != nullptr && named->add != AddCompletion) return named->add(app, exit_code);
  for (const Command& command : kCommands) command.add(app, exit_code);
}

// `dynolith help serve` is `dynolith serve --help`, and `dynolith version` `dynolith --version`.
std::vector<const char*> WithWordsAsOptions(int argc, char** argv) {
  std::vector<const char*> words(argv, argv + argc);
  if (argc < 2) return words;
  const std::string_view first = argv[1];
  if (first == "version") words[1] = "--version";
  if (first != "help") return words;
  words.erase(words.begin() + 1);
  // A word that is no command is an error, which names those that there are.
  const bool is_known = words.size() == 1 || CommandOf(words[1]) != nullptr;
  if (is_known) words.push_back("--help");
  return words;
}

int Run(const std::vector<const char*>& words) {
#ifdef DYNOLITH_SELF_CONTAINED
  // What looks up names in other ways is in libraries that fit the C library which the machine has,
  // and not this one.
  __nss_configure_lookup("hosts", "files dns");
#endif
  const std::string_view first = words.size() > 1 ? words[1] : "";
  CLI::App app("Dynolith: Amazon DynamoDB's semantics on RocksDB");
  app.formatter(std::make_shared<dynolith::HelpText>());
  app.set_version_flag("--version", "dynolith " DYNOLITH_VERSION);
  app.require_subcommand(1);
  int exit_code = 0;
  if (words.size() != 2 || first != "--version") AddCommands(&app, first, &exit_code);
  app.footer(std::string(kExitCodes) +
             "\nExamples:\n"
             "  dynolith quickstart\n"
             "  dynolith help serve\n"
             "  dynolith serve --data ./data\n"
             "  dynolith check ./data\n"
             "  dynolith repair ./data ./saved\n"
             "  dynolith backup ./data ./backup\n"
             "  dynolith restore ./backup ./restored\n"
             "  dynolith top\n"
             "  dynolith doctor\n"
             "  dynolith dissect table ./data --table songs\n"
             "  dynolith lab simulate celebrity");
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    return dynolith::ExitOf(app, error);
  }
  return exit_code;
}

}  // namespace

// Whatever is thrown ends here: an error line and no abort.
int main(int argc, char** argv) {
  try {
    return Run(WithWordsAsOptions(argc, argv));
  } catch (const std::bad_alloc&) {
    return Finish(absl::ResourceExhaustedError(dynolith::messages::NoMemory()));
  } catch (const std::exception& exception) {
    return Finish(absl::InternalError(dynolith::messages::UnexpectedException(exception.what())));
  }
}
