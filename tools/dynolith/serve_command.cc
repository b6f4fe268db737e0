// `dynolith serve`: its options.
#include <CLI/CLI.hpp>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "api/service/staleness_text.h"
#include "engine/base/strings.h"
#include "tools/dynolith/command_parts.h"
#include "tools/dynolith/commands.h"
#include "tools/dynolith/option_checks.h"
#include "tools/dynolith/serve.h"
#include "tools/http/network.h"

namespace dynolith {
namespace {

// How closely the service's own timing is followed.
void AddTiming(CLI::App* serve, ServeOptions* options) {
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
void AddRegions(CLI::App* serve, ServeOptions* options) {
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
void AddVectors(CLI::App* serve, ServeOptions* options) {
  static const std::map<std::string, VectorSearch> kSearches = {
      {"exact", VectorSearch::kExact}, {"approximate", VectorSearch::kApproximate}};
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
void AddSearchEndpoint(CLI::App* serve, ServeOptions* options) {
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
void AddCapacity(CLI::App* serve, ServeOptions* options) {
  static const std::map<std::string, CapacityMode> kCapacity(std::begin(kCapacityModeNames),
                                                             std::end(kCapacityModeNames));
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
      ->check(Scale())
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
                     Concat("Unless --capacity is account: how many calls a second ", of,
                            ", and as many as in 10 seconds at once; 0: as many as come"))
        ->check(CallRate())
        ->capture_default_str()
        ->type_name("N");
  };
  ControlRates* const rates = &options->control_rates;
  add_rate("--control-changes", &rates->changes, "may change tables, tags, backups and all else");
  add_rate("--control-descriptions", &rates->descriptions, "may describe or list them");
  add_rate("--stream-descriptions", &rates->stream_descriptions, "may describe a stream");
}

// What eventually consistent reads see.
void AddStaleness(CLI::App* serve, StalenessOptions* options) {
  serve
      ->add_option_function<std::vector<std::string>>(
          "--staleness",
          [options](const std::vector<std::string>& rules) {
            for (const std::string& rule : rules) {
              options->rules.push_back(*ParseStalenessRule(rule));
            }
          },
          "Let eventually consistent reads see an older state: 500ms (so old), random:1s (up to "
          "1 s), held (as at the start, until released by the admin endpoint) or none, of "
          "everything or only of music=500ms, music/by-year=held, music:stream=random:1s; with "
          ",monotonic at the end never back for a client (access key); may be repeated")
      ->expected(1)
      ->take_all()
      ->check(StalenessRuleText())
      ->type_name("RULE");
  serve
      ->add_option("--staleness-seed", options->seed,
                   "Of random staleness: the same seed gives the same states")
      ->capture_default_str()
      ->type_name("N");
}

// The clock, and how it is moved.
void AddClock(CLI::App* serve, ServeOptions* options) {
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
void AddAdminCallers(CLI::App* serve, ServeOptions* options) {
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
              options->admin_networks.push_back(*http::ParseNetwork(network));
            }
          },
          "Let programs of this network use /_dynolith/, such as 172.16.0.0/12 or fd00::/8, not "
          "only those on this machine; may be repeated; implies --admin")
      ->expected(1)
      ->take_all()
      ->check(CallersNetwork())
      ->type_name("CIDR");
}

// Who sees the same tables.
void AddIsolation(CLI::App* serve, ServeOptions* options) {
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
void AddTrace(CLI::App* serve, ServeOptions* options) {
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
void AddCallers(CLI::App* serve, ServeOptions* options) {
  static const std::map<std::string, http::AuthMode> kModes = {{"off", http::AuthMode::kOff},
                                                               {"shape", http::AuthMode::kShape},
                                                               {"verify", http::AuthMode::kVerify}};
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
      ->check(OriginToAllow())
      ->type_name("ORIGIN");
  serve
      ->add_option("--allow-host", options->pages.hosts,
                   "Let web pages call the server by this name, not only by localhost or an "
                   "address: db.example, or * for all; may be repeated")
      ->expected(1)
      ->take_all()
      ->check(HostToAllow())
      ->type_name("NAME");
}

// What is written to standard error.
void AddLog(CLI::App* serve, LogOptions* options) {
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

// What is kept in memory of what lies in RocksDB.
void AddCaches(CLI::App* serve, ServeOptions* options) {
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
void AddSeeds(CLI::App* serve, ServeOptions* options) {
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

}  // namespace

void AddServe(CLI::App* app, int* exit_code) {
  static ServeOptions options;
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
  serve->callback([exit_code] { *exit_code = Finish(Serve(options)); });
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

}  // namespace dynolith
