// `dynolith load` and `dynolith dump`: their options.
#include <CLI/CLI.hpp>
#include <map>
#include <string>

#include "tools/files/load_designs.h"
#include "tools/program/command_parts.h"
#include "tools/program/commands.h"
#include "tools/program/database_flags.h"
#include "tools/program/load.h"
#include "tools/program/option_checks.h"

namespace dynolith {

void AddLoad(CLI::App* app, int* exit_code) {
  static LoadCommandOptions options;
  CLI::App* const load =
      app->add_subcommand("load", "Make tables and write items that stand in files");
  load->add_option(
          "FILE", options.load.files,
          "Tables: inputs of create-table, CloudFormation templates, serverless.yml, NoSQL "
          "Workbench models. Items: DynamoDB JSON, Ion, plain JSON, CSV, files of exports and of "
          "Data Pipeline, inputs of put-item and batch-write-item. Or folders with such files; "
          "that of a whole export is compared with its manifests")
      ->required()
      ->check(NamedPath());
  load->add_option("--to", options.to,
                   "Data folder, not in use by a server, or the address of a server")
      ->required()
      ->check(NamedPath())
      ->type_name("DIR|URL");
  static const std::map<std::string, designs::IfExists> kChoices = {
      {"fail", designs::IfExists::kFail},
      {"keep", designs::IfExists::kKeep},
      {"replace", designs::IfExists::kReplace}};
  load->add_option("--if-exists", options.load.if_exists,
                   "What becomes of a table that a file makes and that is there. fail (the "
                   "default): nothing is loaded; keep: it stays as it is, with its items; "
                   "replace: it is deleted first")
      ->transform(CLI::CheckedTransformer(kChoices).description(""))
      ->transform(AmongWords("keep|replace|fail"))
      ->type_name("keep|replace|fail");
  load->add_option("--table", options.load.table,
                   "Whose items they are that stand in files without a table's name; without it "
                   "the table that the manifest of their export says, else the one that the file "
                   "is named for, else the only one that the files make")
      ->type_name("NAME");
  load->add_option("--resume", options.load.journal,
                   "A file that says how far the load has come, until it is whole: if it is there, "
                   "the load goes on from there")
      ->check(NamedPath())
      ->type_name("FILE");
  AddExcerpt(load, &options.excerpt);
  AddDatabaseFlag(load, "memory_budget", &options.settings);
  AddKeyFlag(load, &options.settings.database.encryption_key);
  AddParameters(load, &options.load.read.parameters);
  AddLeftOut(load, &options.load.read.left_out);
  load->add_option("--region", options.load.read.region,
                   "What AWS::Region is, and so which replica of a global table is loaded first; a "
                   "server with regions makes the others that it serves")
      ->check(Region())
      ->capture_default_str();
  load->callback([exit_code] {
    const absl::StatusOr<bool> whole = Load(options);
    *exit_code = whole.ok() && !*whole ? 1 : FinishRun(whole);
  });
  load->footer(
      "Calls of a server are signed with the credentials that SDKs would find: in variables, "
      "profiles\n"
      "(not those of roles and single sign-on), a container or an instance. A server on this "
      "machine "
      "needs none.\n"
      "Examples:\n"
      "  dynolith load music.json --to http://127.0.0.1:8000\n"
      "  dynolith load template.yml --parameter Stage=dev --to ./data\n"
      "  dynolith load music.json music.items.json --to ./data --if-exists replace\n"
      "  dynolith load export/data/*.json.gz --table music --to http://127.0.0.1:8000\n"
      "  dynolith load music.items.json --to ./data --resume music.load\n"
      "  dynolith load export --to ./data --sample 1% --anonymise rules.toml --strict");
}

void AddDump(CLI::App* app, int* exit_code) {
  static DumpCommandOptions options;
  CLI::App* const dump =
      app->add_subcommand("dump", "Write tables and items into files that load takes");
  dump->add_option("DIR|URL", options.from,
                   "Data folder, not in use by a server, or the address of a server")
      ->required()
      ->check(NamedPath());
  dump->add_option("--to", options.dump.folder, "Folder that is new or empty")
      ->required()
      ->check(NamedPath())
      ->type_name("DIR");
  AddExcerpt(dump, &options.excerpt);
  AddDatabaseFlag(dump, "memory_budget", &options.settings);
  AddKeyFlag(dump, &options.settings.database.encryption_key);
  dump->add_option("--table", options.dump.tables, "Only this one; may be repeated")
      ->expected(1)
      ->take_all()
      ->type_name("NAME");
  dump->callback([exit_code] {
    const absl::StatusOr<bool> whole = Dump(options);
    *exit_code = whole.ok() && !*whole ? 1 : Finish(whole.status());
  });
  dump->footer(
      "Each table is a file for aws dynamodb create-table, and one of items in DynamoDB JSON.\n"
      "With --anonymise each value is replaced by the first rule that fits it, and the same value "
      "by "
      "the same wherever it stands, so that keys still join:\n"
      "  key = { variable = \"COPY_KEY\" }        # 16 bytes or more\n"
      "  [[rule]]\n"
      "  tables = [\"app\"]                       # without it: all\n"
      "  attributes = [\"PK\", \"SK\"]\n"
      "  patterns = [\"USER#{}\", \"FRIEND#{}\"]    # only what stands at {}; * is what stays\n"
      "  kind = \"fake\"                          # fake, mask, hash, redact, null, drop\n"
      "  as = \"email\"                           # name, phone, uuid, number, date …\n"
      "  [[rule]]\n"
      "  attributes = [\"email\", \"GSI1PK\", \"orders[*].contact\"]\n"
      "  kind = \"fake\"\n"
      "  as = \"email\"\n"
      "Examples:\n"
      "  dynolith dump http://127.0.0.1:8000 --to fixture\n"
      "  dynolith dump ./data --to fixture --table music\n"
      "  dynolith dump ./data --to part --filter \"country = 'DE' AND total > 100\"\n"
      "  dynolith dump ./data --to copy --sample 1% --anonymise rules.toml\n"
      "  dynolith load fixture --to http://127.0.0.1:8000 --if-exists replace");
}

}  // namespace dynolith
