// The command line of `dynolith proxy`.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "tools/program/command_parts.h"
#include "tools/program/commands.h"
#include "tools/program/database_flags.h"
#include "tools/program/option_checks.h"
#include "tools/program/serve_flags.h"
#include "tools/proxy/proxy.h"

namespace dynolith {
namespace {

// Options for the endpoint that calls are forwarded to.
void AddTarget(CLI::App* command, proxy::ProxyOptions* options) {
  command
      ->add_option("--to", options->target.url,
                   "Where calls go, such as https://dynamodb.eu-west-1.amazonaws.com")
      ->required()
      ->type_name("URL");
  command
      ->add_option("--region", options->target.region,
                   "The region for which calls are signed (default: that of the URL, else as SDKs "
                   "find it)")
      ->check(Region())
      ->type_name("REGION");
  command
      ->add_option("--ca", options->target.certificates_file,
                   "Trust the certificates in this PEM file (default: those of the system)")
      ->check(NamedPath())
      ->type_name("FILE");
  command
      ->add_option("--connections", options->target.connections_max,
                   "Calls that are on their way at once, and connections; further calls wait")
      ->check(WholeBetween(1, 1024))
      ->capture_default_str()
      ->type_name("N");
  command
      ->add_option_function<int64_t>(
          "--answer-timeout",
          [options](int64_t seconds) {
            options->target.answer_timeout = std::chrono::seconds(seconds);
          },
          "How long an answer is waited for, before the client gets a 503 (default: 30)")
      ->check(WholeBetween(1, 3600))
      ->type_name("SECONDS");
}

// Options for the second endpoint, which gets the same writes.
void AddShadow(CLI::App* command, proxy::ProxyOptions* options) {
  CLI::Option* const shadow =
      command
          ->add_option("--shadow", options->shadow.url,
                       "Send writes of items to this endpoint, too, once the first has made them, "
                       "and compare answers to reads; clients see nothing of it")
          ->type_name("URL");
  command->add_option("--shadow-region", options->shadow.region, "As --region, for the shadow")
      ->needs(shadow)
      ->check(Region())
      ->type_name("REGION");
  command->add_option("--shadow-ca", options->shadow.certificates_file, "As --ca, for the shadow")
      ->needs(shadow)
      ->check(NamedPath())
      ->type_name("FILE");
  command
      ->add_option("--compare", options->compare_share,
                   "The share of reads that are compared, from 0 to 1")
      ->needs(shadow)
      ->check(Between(0, 1))
      ->capture_default_str()
      ->type_name("SHARE");
  command
      ->add_option("--differences", options->differences_file,
                   "Append a line of JSON to this file for each difference")
      ->needs(shadow)
      ->check(NamedPath())
      ->type_name("FILE");
  static const std::map<std::string, bool> kReaders = {{"target", false}, {"shadow", true}};
  command
      ->add_option(
          "--read-from", options->reads_from_shadow,
          "Who answers reads of items: target (the default) or shadow; the other's answers "
          "are compared")
      ->needs(shadow)
      ->transform(CLI::CheckedTransformer(kReaders).description(""))
      ->transform(AmongWords("target|shadow"))
      ->type_name("target|shadow");
}

}  // namespace

void AddProxy(CLI::App* app, int* exit_code) {
  static proxy::ProxyOptions options;
  ServeOptions* const serve = &options.serve;
  serve->auth = http::AuthMode::kOff;
  CLI::App* const command =
      app->add_subcommand("proxy", "Stand between SDKs and an endpoint: faults, traces, figures");
  AddTarget(command, &options);
  AddShadow(command, &options);
  AddListening(command, serve);
  AddCallers(command, serve);
  AddThreads(command, serve);
  AddTls(command, serve);
  command->add_flag("--admin", serve->admin,
                    "Let programs on this machine use /_dynolith/: have calls fail on purpose, "
                    "read figures");
  AddAdminCallers(command, serve);
  AddDatabaseFlags(command,
                   {"capacity.mode", "capacity.scale", "capacity.burst_seconds",
                    "capacity.split_delay_seconds", "capacity.partition_reads", "hot_keys"},
                   &serve->settings);
  AddTrace(command, serve);
  AddLog(command, &serve->log);
  command->callback([exit_code] { *exit_code = Finish(proxy::RunProxy(options)); });
  command->footer(
      "Calls are signed anew, with the credentials that SDKs find: variables, profiles, "
      "containers,\n"
      "instances. Retries are the SDK's.\n\n"
      "Examples:\n"
      "  dynolith proxy --to https://dynamodb.eu-west-1.amazonaws.com\n"
      "  dynolith proxy --to http://127.0.0.1:8000 --port 8001 --admin\n"
      "  dynolith proxy --to http://127.0.0.1:8000 --trace shop.trace --capacity enforce --admin\n"
      "  curl -d '{\"fault\": \"answer_lost\", \"operation\": \"PutItem\", \"nth\": 3}' "
      "http://127.0.0.1:8001/_dynolith/faults\n"
      "  dynolith proxy --to http://127.0.0.1:8000 --shadow "
      "https://dynamodb.eu-west-1.amazonaws.com "
      "--compare 0.1\n"
      "  aws dynamodb list-tables --endpoint-url http://127.0.0.1:8001");
}

}  // namespace dynolith
