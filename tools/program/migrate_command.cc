// `dynolith migrate`: its options.
#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "tools/program/command_parts.h"
#include "tools/program/commands.h"
#include "tools/program/lab_inputs.h"
#include "tools/program/migrate.h"
#include "tools/program/option_checks.h"

namespace dynolith {
namespace {

constexpr int64_t kSegmentsMax = 256;
constexpr double kRateMax = 1e7;

void AddSide(CLI::App* command, const std::string& name, const std::string& side,
             migrate::SideOptions* options) {
  command
      ->add_option("--" + name + "-region", options->region,
                   "The region for calls of " + side + ", if its address has none")
      ->check(Region())
      ->type_name("REGION");
  command
      ->add_option("--" + name + "-profile", options->profile,
                   "The profile whose credentials sign calls of " + side)
      ->type_name("NAME");
  command
      ->add_option("--" + name + "-certificates", options->certificates,
                   "Certificates (PEM) to check " + side + " with, instead of the system's")
      ->check(NamedPath())
      ->type_name("FILE");
}

void AddFolderKey(CLI::App* command, const std::string& name, const std::string& side,
                  migrate::SideOptions* options) {
  command
      ->add_option("--" + name + "-encryption-key", options->encryption_key,
                   "Where the key of " + side +
                       " comes from, if it is an encrypted folder, or is to be one: file:PATH, "
                       "env:NAME or command:TEXT")
      ->check(KeySource())
      ->type_name("KEY");
}

void AddEnd(CLI::App* command, migrate::MigrationOptions* options) {
  static const std::map<std::string, migrate::CutOver> kCutOvers = {
      {"refuse", migrate::CutOver::kRefuse},
      {"forward", migrate::CutOver::kForward},
      {"stopped", migrate::CutOver::kStopped}};
  command
      ->add_option("--cut-over", options->cut_over,
                   "End the migration: writes to FROM end, what is left is written to TO, both "
                   "sides are compared. refuse: FROM, a server of ours with --admin, refuses them "
                   "from now on; forward: it refuses them only until TO has everything, and "
                   "then forwards all calls of these tables to TO; stopped: you have stopped those "
                   "who write")
      ->transform(CLI::CheckedTransformer(kCutOvers).description(""))
      ->transform(AmongWords("refuse|forward|stopped"))
      ->type_name("refuse|forward|stopped");
  command
      ->add_option("--forward-to", options->forward_to.place,
                   "With --cut-over forward: the address at which FROM calls TO, if it is not the "
                   "one of TO here")
      ->check(NamedPath())
      ->type_name("URL");
  AddSide(command, "forward", "TO by FROM, with --cut-over forward; on FROM's machine",
          &options->forward_to);
  static const std::map<std::string, migrate::Verify> kVerifies = {
      {"checksums", migrate::Verify::kChecksums},
      {"full", migrate::Verify::kFull},
      {"count", migrate::Verify::kCount},
      {"none", migrate::Verify::kNone}};
  command
      ->add_option("--verify", options->verify,
                   "How both sides are compared at the end. checksums (the default): all items, by "
                   "sums over parts of the keys; full: besides, each item as a whole, by its key; "
                   "count: only how many there are; none: not at all")
      ->transform(CLI::CheckedTransformer(kVerifies).description(""))
      ->transform(AmongWords("checksums|full|count|none"))
      ->type_name("checksums|full|count|none");
}

void AddHow(CLI::App* command, migrate::MigrationOptions* options) {
  static const std::map<std::string, bool> kSwitches = {{"on", true}, {"off", false}};
  command
      ->add_option("--segments", options->segments,
                   "Parts into which each table is divided for its copy, and threads")
      ->check(WholeBetween(1, kSegmentsMax))
      ->capture_default_str()
      ->type_name("N");
  command
      ->add_option("--read-rate", options->read_rate,
                   "Units a second to read on FROM at most; fewer when throttled. Without it as "
                   "many as there are")
      ->check(Between(1, kRateMax))
      ->type_name("UNITS");
  command->add_option("--write-rate", options->write_rate, "Units a second to write on TO at most")
      ->check(Between(1, kRateMax))
      ->type_name("UNITS");
  command
      ->add_option("--state", options->state_file,
                   "The file that says how far the migration has come: the same command goes on "
                   "there. Without it DIR.migrate beside the folder, or dynolith.migrate")
      ->check(NamedPath())
      ->type_name("FILE");
  command
      ->add_option("--bulk", options->bulk,
                   "Whether new tables of TO, a folder, are made as sorted files with all of their "
                   "items at once: faster, but a copy that is interrupted begins anew. on if FROM "
                   "is a folder, too")
      ->transform(CLI::CheckedTransformer(kSwitches).description(""))
      ->transform(AmongWords("on|off"))
      ->type_name("on|off");
  command
      ->add_option("--bucket", options->bucket,
                   "Copy new tables through this S3 bucket, between two endpoints that both reach "
                   "it: FROM exports them (they need point-in-time recovery there), TO imports "
                   "them")
      ->type_name("BUCKET[/PREFIX]");
  command->add_flag("--into-existing", options->into_existing,
                    "Tables on TO may have items, which stay unless FROM has them, too");
  command->add_flag(
      "--no-stream", options->no_stream,
      "Leave the streams of FROM alone: what changes is found by a second scan at the "
      "cut-over");
  command->add_flag("--follow", options->follow,
                    "Go on with the changes until Ctrl-C, instead of ending when TO has caught up");
}

}  // namespace

void AddMigrate(CLI::App* app, int* exit_code) {
  static MigrateCommandOptions options;
  CLI::App* const command = app->add_subcommand(
      "migrate", "Move tables from a folder or an endpoint to another one while they change");
  command
      ->add_option("FROM", options.migration.from.place,
                   "Data folder, not in use by a server, or the address of a server")
      ->required()
      ->check(NamedPath())
      ->type_name("DIR|URL");
  command->add_option("TO", options.migration.to.place, "The same")
      ->required()
      ->check(NamedPath())
      ->type_name("DIR|URL");
  command->add_flag("--dry-run", options.migration.dry_run,
                    "Print what would be made, read and written, what it costs and how long it "
                    "takes, and do nothing");
  command->add_option("--table", options.migration.tables, "Only this one; may be repeated")
      ->expected(1)
      ->take_all()
      ->type_name("NAME");
  AddEnd(command, &options.migration);
  AddHow(command, &options.migration);
  AddExcerpt(command, &options.migration.excerpt);
  AddSide(command, "from", "FROM", &options.migration.from);
  AddFolderKey(command, "from", "FROM", &options.migration.from);
  AddSide(command, "to", "TO", &options.migration.to);
  AddFolderKey(command, "to", "TO", &options.migration.to);
  AddAdminToken(command, &options.admin_token_file);
  command
      ->add_option("--prices", options.prices_file,
                   "The prices for the plan, as of dynolith lab prices")
      ->check(NamedPath())
      ->type_name("FILE");
  command
      ->add_option("--price-region", options.price_region,
                   "The region whose prices count; without it the first one of the file")
      ->check(Region())
      ->type_name("REGION");
  command->callback([exit_code] {
    const absl::StatusOr<bool> whole = RunMigration(options);
    *exit_code = whole.ok() && !*whole ? 1 : FinishRun(whole);
  });
  command->footer(
      "A migration that was stopped or killed goes on when the same command is run again.\n"
      "Examples:\n"
      "  dynolith migrate ./data https://dynamodb.eu-west-1.amazonaws.com --dry-run\n"
      "  dynolith migrate ./data https://dynamodb.eu-west-1.amazonaws.com --write-rate 500\n"
      "  dynolith migrate http://127.0.0.1:8000 ./data --table music\n"
      "  dynolith migrate http://127.0.0.1:8000 ./data --table music --cut-over refuse\n"
      "  dynolith migrate http://127.0.0.1:8000 https://dynamodb.eu-west-1.amazonaws.com "
      "--cut-over "
      "forward\n"
      "  dynolith migrate https://dynamodb.eu-west-1.amazonaws.com ./part --sample 1% --anonymise "
      "rules.toml");
}

}  // namespace dynolith
