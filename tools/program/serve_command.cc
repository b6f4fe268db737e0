// `dynolith serve`: its options.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "api/service/database_options.h"
#include "tools/program/command_parts.h"
#include "tools/program/commands.h"
#include "tools/program/database_flags.h"
#include "tools/program/option_checks.h"
#include "tools/program/serve_flags.h"
#include "tools/server/http/network.h"
#include "tools/server/serve.h"
#include "tools/ship/receiver.h"
#include "tools/ship/shipper.h"

namespace dynolith {
namespace {

// Where SearchVectors is answered.
void AddSearchEndpoint(CLI::App* serve, ServeOptions* options) {
  static const std::map<std::string, bool> kEndpoints = {{"any", false}, {"own", true}};
  serve
      ->add_option("--search-endpoint", options->search_endpoint,
                   "any (the default): SearchVectors is answered under every name; own: only under "
                   "search-dynamodb.… and ….search-ddb.…, such as "
                   "http://search-dynamodb.localhost:8000, and refused elsewhere as by the service")
      ->transform(CLI::CheckedTransformer(kEndpoints).description(""))
      ->transform(AmongWords("any|own"))
      ->type_name("any|own");
}

// Whether policies are obeyed, and whose.
void AddIam(CLI::App* serve, ServeOptions* options) {
  static const std::map<std::string, IamMode> kModes = {
      {"off", IamMode::kOff}, {"audit", IamMode::kAudit}, {"enforce", IamMode::kEnforce}};
  serve
      ->add_option("--iam", options->iam,
                   "off (the default): callers may do everything; enforce: what the policies of "
                   "users, roles and tables allow; audit: everything, but the log says what would "
                   "be refused")
      ->transform(CLI::CheckedTransformer(kModes).description(""))
      ->transform(AmongWords("off|audit|enforce"))
      ->type_name("off|audit|enforce");
  serve
      ->add_option("--iam-folder", options->iam_folder,
                   "For --iam: users, groups, roles, policies and sessions in IAM's JSON")
      ->check(NamedPath())
      ->type_name("DIR");
}

// The clock, and how it is moved.
void AddClock(CLI::App* serve, ServeOptions* options) {
  AddDatabaseFlag(serve, "clock", &options->settings);
  AddUnreadFlag(serve, "clock_start", &options->clock_start);
  serve->add_flag(
      "--admin", options->admin,
      "Show tables, items and what they do in a browser at /_dynolith/, and let programs on this "
      "machine use it: read and move the clock, sweep, hold reads back, back up, take "
      "snapshots and go back to them, make databases, set capacity, have calls fail on purpose "
      "(tools/README.md)");
}

// Adds the option that decides which callers share tables.
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
      ->transform(AmongWords("none|region|access-key"))
      ->type_name("none|region|access-key");
  serve
      ->add_option_function<std::string>(
          "--shared-db",
          [options](const std::string& is_shared) {
            options->isolate_by_region = options->isolate_by_access_key = is_shared == "off";
          },
          "on (the default), or off: --isolate by both, as in DynamoDB Local without -sharedDb")
      ->transform(AmongWords("on|off"))
      ->type_name("on|off")
      ->excludes("--isolate");
  serve
      ->add_option_function<std::string>(
          "--databases-made-by",
          [options](const std::string& by) { options->calls_make_databases = by == "call"; },
          "Who makes databases with names: call, also each call that names one; admin, only POST "
          "/_dynolith/databases (default: call, but with --data and without --isolate admin)")
      ->transform(AmongWords("call|admin"))
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
                   "may open few files or has a --memory-budget)")
      ->check(WholeBetween(1, 100'000))
      ->type_name("N");
}

void AddRegions(CLI::App* serve, ServeOptions* options) {
  serve
      ->add_option("--regions", options->regions,
                   "Several regions over one clock, each with tables of its own: calls get the one "
                   "that they are signed for, calls without a signature the first, and calls for "
                   "other regions are refused")
      ->delimiter(',')
      ->check(Region())
      ->type_name("NAME,…")
      ->excludes("--region")
      ->excludes("--isolate")
      ->excludes("--shared-db");
  serve
      ->add_option_function<std::vector<std::string>>(
          "--region-port",
          [options](const std::vector<std::string>& given) {
            for (const std::string& text : given) {
              const size_t equals = text.find('=');
              const int port = std::stoi(text.substr(equals + 1));
              options->region_ports.push_back(
                  {text.substr(0, equals), static_cast<uint16_t>(port)});
            }
          },
          "Another port, whose calls get this region of --regions, wherever they are signed for; 0 "
          "picks a free one; may be repeated")
      ->needs("--regions")
      ->expected(1)
      ->take_all()
      ->check(RegionPort())
      ->type_name("REGION=PORT");
}

// What the streams of tables call.
void AddStreamTargets(CLI::App* serve, ServeOptions* options) {
  serve
      ->add_option("--on-stream", options->on_stream,
                   "Hand what this table's stream records to an HTTP address, as Lambda hands it "
                   "to a function, or to a command's standard input (exec:COMMAND), batch by "
                   "batch until it succeeds; may be repeated")
      ->expected(1)
      ->take_all()
      ->type_name("TABLE=TARGET");
  serve
      ->add_option("--stream-targets", options->stream_targets_file,
                   "For --on-stream: batches, filters, retries and what else an event source "
                   "mapping has, as JSON like the input of CreateEventSourceMapping")
      ->check(NamedPath())
      ->type_name("FILE");
  serve
      ->add_option("--kinesis", options->kinesis_url,
                   "Send the changes of tables with Kinesis destinations "
                   "(EnableKinesisStreamingDestination) to this endpoint that speaks Kinesis; "
                   "without it destinations have states only, and nothing is sent")
      ->type_name("URL");
}

CLI::Option* AddDuration(CLI::App* serve, const std::string& name, const std::string& help,
                         absl::Duration least, absl::Duration* value) {
  // The check comes first.
  const auto read = [value](const std::string& text) { absl::ParseDuration(text, value); };
  return serve->add_option_function<std::string>(name, read, help)
      ->check(DurationFrom(least))
      ->default_str(absl::FormatDuration(*value))
      ->type_name("DURATION");
}

// A folder that is kept up with what another server ships.
void AddReceiving(CLI::App* serve, ServeOptions* options) {
  ship::ReceiveOptions* const receive = &options->receive;
  CLI::Option* const flag =
      serve
          ->add_option("--receive", receive->url,
                       "Only read, and keep the data folder up with what another server ships "
                       "there (--ship): so that this one can go on in its place, once it is "
                       "started with --ship and --ship-take-over instead")
          ->check(NamedPath())
          ->type_name("FOLDER|s3://BUCKET/PREFIX");
  serve
      ->add_option("--receive-endpoint", receive->endpoint,
                   "An endpoint of S3's protocol other than AWS's")
      ->needs(flag)
      ->type_name("URL");
  AddDuration(serve, "--receive-interval", "How often what is new is looked for",
              absl::Milliseconds(100), &receive->interval)
      ->needs(flag);
}

// Continuous copies of the data folder, and what is received of another one's.
void AddShipping(CLI::App* serve, ServeOptions* options) {
  ship::ShipOptions* const ship = &options->ship;
  CLI::Option* const flag =
      serve
          ->add_option("--ship", ship->url,
                       "Ship the data folder to a folder or a bucket of S3's protocol while it "
                       "is served: what is new in its logs all the time, and its table files, "
                       "each once. dynolith restore makes a folder of it, as of any second")
          ->check(NamedPath())
          ->type_name("FOLDER|s3://BUCKET/PREFIX");
  serve
      ->add_option("--ship-endpoint", ship->endpoint,
                   "An endpoint of S3's protocol other than AWS's; credentials are found as the "
                   "AWS CLI finds them")
      ->needs(flag)
      ->type_name("URL");
  AddDuration(serve, "--ship-interval", "How often what is new in the logs is shipped",
              absl::Milliseconds(100), &ship->interval)
      ->needs(flag);
  AddDuration(serve, "--ship-base-interval",
              "How often all that a restore begins with is made anew: the longer, the more logs "
              "it reads",
              absl::Seconds(1), &ship->base_interval)
      ->needs(flag);
  AddDuration(serve, "--ship-keep",
              "How far back a restore can go; what is older is removed. 0: to the beginning",
              absl::ZeroDuration(), &ship->keep)
      ->needs(flag);
  serve
      ->add_option_function<uint64_t>(
          "--ship-backlog", [ship](uint64_t megabytes) { ship->backlog_bytes = megabytes << 20; },
          "How much of the logs may wait in the data folder while the target is away; beyond it "
          "they are given up, and the next base takes their place")
      ->needs(flag)
      ->check(WholeBetween(1, 1'000'000))
      ->default_str("1024")
      ->type_name("MB");
  serve
      ->add_flag("--ship-take-over", ship->take_over,
                 "Go on from what another store has shipped there, once this folder was restored "
                 "from it: the other one ends when it wants to ship more")
      ->needs(flag);
  AddReceiving(serve, options);
}

// What is measured for CloudWatch.
void AddCloudwatch(CLI::App* serve, ServeOptions* options) {
  CLI::Option* const flag = serve->add_flag(
      "--cloudwatch", options->cloudwatch,
      "Count calls as DynamoDB does for CloudWatch, minute by minute of the database's clock, and "
      "answer calls of CloudWatch on the same port: metrics and alarms");
  serve
      ->add_option("--cloudwatch-delay", options->cloudwatch_delay_seconds,
                   "How long after its end a minute appears there")
      ->needs(flag)
      ->check(WholeBetween(0, 3'600))
      ->capture_default_str()
      ->type_name("SECONDS");
}

// What is sent by OpenTelemetry's protocol.
void AddOtlp(CLI::App* serve, ServeOptions* options) {
  CLI::Option* const otlp =
      serve
          ->add_option_function<std::string>(
              "--otlp",
              [options](const std::string& url) {
                options->otlp = true;
                options->otlp_url = url;
              },
              "Send a span of each call, and metrics, to this receiver of OpenTelemetry by "
              "OTLP over HTTP (default: OTEL_EXPORTER_OTLP_ENDPOINT, or http://localhost:4318); "
              "with it OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES "
              "are followed, too")
          ->expected(0, 1)
          ->type_name("[URL]");
  serve
      ->add_option("--otlp-sample", options->otlp_sample_ratio,
                   "The ratio of calls that get a span, if the caller's headers do not say")
      ->needs(otlp)
      ->check(Between(0, 1))
      ->capture_default_str()
      ->type_name("RATIO");
  serve->add_option("--otlp-interval", options->otlp_interval_seconds, "How often metrics are sent")
      ->needs(otlp)
      ->check(WholeBetween(1, 86'400))
      ->capture_default_str()
      ->type_name("SECONDS");
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
          ->check(NamedPath())
          ->type_name("FILE|DIR");
  AddParameters(serve, &options->seed_parameters)->needs(seed);
  AddLeftOut(serve, &options->seed_left_out)->needs(seed);
}

}  // namespace

void AddServe(CLI::App* app, int* exit_code) {
  static ServeOptions options;
  static bool memory = false;
  CLI::App* const serve = app->add_subcommand("serve", "Answer DynamoDB's protocol over HTTP");
  AddListening(serve, &options);
  OpenSettings* const settings = &options.settings;
  CLI::Option* const data = AddDatabaseFlag(serve, "path", settings)->check(NamedPath());
  serve->add_flag("--memory", memory, "Keep everything in memory (the default)")->excludes(data);
  AddDatabaseFlag(serve, "buckets", settings);
  AddSeeds(serve, &options);
  AddCallers(serve, &options);
  AddIam(serve, &options);
  AddDatabaseFlag(serve, "region", settings);
  AddThreads(serve, &options);
  AddDatabaseFlags(serve,
                   {"follow", "sync", "encryption_key", "memory_budget", "cache", "item_cache"},
                   settings);
  AddTls(serve, &options);
  AddDatabaseFlags(
      serve,
      {"capacity.mode", "capacity.scale", "capacity.burst_seconds", "capacity.split_delay_seconds",
       "capacity.partition_reads", "hot_keys", "capacity.account_limit", "control_rates.changes",
       "control_rates.descriptions", "control_rates.stream_descriptions", "conflicts",
       "ttl_sweep_seconds", "stream_shards", "table_delay_seconds", "update_size", "vector_search",
       "vector_memory"},
      settings);
  AddShipping(serve, &options);
  AddStreamTargets(serve, &options);
  AddSearchEndpoint(serve, &options);
  AddDatabaseFlags(serve, {"staleness", "staleness_seed"}, settings);
  AddClock(serve, &options);
  AddAdminCallers(serve, &options);
  AddIsolation(serve, &options);
  AddRegions(serve, &options);
  AddTrace(serve, &options);
  AddCloudwatch(serve, &options);
  AddOtlp(serve, &options);
  AddLog(serve, &options.log);
  AddStoreFlags(serve, &options);
  serve->callback([serve, exit_code] {
    if (options.open_store) CheckStoreFlags(*serve);
    *exit_code = FinishOrInterrupted(Serve(options));
  });
  serve->footer(
      "Examples:\n"
      "  dynolith serve\n"
      "  dynolith serve --data /var/lib/music --port 8000\n"
      "  dynolith serve --store postgresql://music@db1,db2/music\n"
      "  dynolith serve --regions us-east-1,eu-west-1 --region-port eu-west-1=8001 --admin\n"
      "  dynolith serve --buckets /srv/buckets\n"
      "  dynolith serve --seed template.yml --parameter Stage=dev --seed fixture\n"
      "  dynolith serve --host 0.0.0.0 --auth verify --credentials keys.txt\n"
      "  dynolith serve --iam enforce --iam-folder accounts --admin\n"
      "  dynolith serve --allow-origin https://app.example --log-level info --log-format json\n"
      "  dynolith serve --on-stream orders=http://127.0.0.1:9001/ --on-stream 'music=exec:cat'\n"
      "  dynolith serve --data /var/lib/music --kinesis http://127.0.0.1:4566\n"
      "  dynolith serve --data /var/lib/music --ship s3://backups/music --ship-keep 168h\n"
      "  dynolith serve --data /var/lib/music --receive s3://backups/music\n"
      "  dynolith serve --trace music.trace --trace-size 16 --trace-files 8 --trace-keys plain\n"
      "  aws dynamodb list-tables --endpoint-url http://127.0.0.1:8000\n"
      "  dynolith serve --clock manual --cloudwatch\n"
      "  aws cloudwatch list-metrics --endpoint-url http://127.0.0.1:8000\n"
      "  dynolith serve --otlp http://localhost:4318 --otlp-sample 0.1\n"
      "  dynolith serve --clock manual --ttl-sweep 0 --table-delay 20\n"
      "  curl -d '{\"seconds\": 3600}' http://127.0.0.1:8000/_dynolith/clock/advance\n"
      "  curl -X POST http://127.0.0.1:8000/_dynolith/ttl/sweep\n"
      "  dynolith serve --admin --staleness 200ms --staleness music/by-year=random:2s,monotonic\n"
      "  curl -d '{\"table\": \"music\"}' http://127.0.0.1:8000/_dynolith/staleness/hold\n"
      "  dynolith serve --host 0.0.0.0 --admin-token admin.token --admin-from 172.16.0.0/12");
}

}  // namespace dynolith
