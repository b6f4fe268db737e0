// `dynolith repair`: saves the readable part of a damaged data folder into a new one.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "dynolith/database.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/local_store.h"
#include "engine/store/salvage/new_folder.h"
#include "engine/store/salvage/salvage.h"
#include "index/mend_store.h"
#include "tools/program/command_parts.h"
#include "tools/program/commands.h"
#include "tools/program/database_flags.h"
#include "tools/program/messages.h"
#include "tools/server/http/server.h"

namespace dynolith {
namespace {

// Opens it as a server does, but read-only, so that the clock deletes nothing.
absl::Status OpenAsServed(const std::string& folder, const std::string& key) {
  DatabaseOptions options;
  options.path = folder;
  options.encryption_key = key;
  options.read_only = true;
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Database> database, Database::Open(options));
  return absl::OkStatus();
}

// Prints one line per unreadable part and a summary to standard output. Returns whether everything
// was readable. Changes nothing in `folder`. Errors: what prevents the salvage.
absl::StatusOr<bool> Repair(const std::string& folder, const std::string& saved,
                            const std::string& key) {
  uint64_t losses = 0;
  const auto report = [&losses](const std::string& line) {
    ++losses;
    std::fputs(messages::RepairLossLine(line).c_str(), stdout);
  };
  // All table files are open at once.
  http::RaiseFileLimit();
  DYNOLITH_ASSIGN_OR_RETURN(NewFolder filled, NewFolder::Make(saved));
  DYNOLITH_ASSIGN_OR_RETURN(const SalvageSummary summary, Salvage(folder, saved, report, key));
  {
    DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<LocalStore> store,
                              LocalStore::Open({.path = saved, .encryption_key = key}));
    DYNOLITH_RETURN_IF_ERROR(MendStore(
        store.get(), {.may_lack_tables = summary.may_lack_meta, .now = absl::Now()}, report));
  }
  DYNOLITH_RETURN_IF_ERROR(OpenAsServed(saved, key));
  filled.Keep();
  SayDatabasesLeftOut(folder);
  std::fputs(
      messages::RepairSummaryLine(saved, summary.table_files, summary.logs, summary.changes, losses)
          .c_str(),
      stdout);
  return losses == 0;
}

}  // namespace

void AddRepair(CLI::App* app, int* exit_code) {
  static std::string folder;
  static std::string saved;
  static std::string key;
  CLI::App* const repair = app->add_subcommand(
      "repair", "Save what can be read of a damaged data folder into a new one");
  repair->add_option("DIR", folder, "Data folder, not in use by a server; stays as it is")
      ->required();
  repair->add_option("NEW", saved, "Folder that is new or empty")->required();
  AddKeyFlag(repair, &key);
  repair->footer(
      "What is not as it was is named. NEW can be served: what follows from items is made anew\n"
      "where it disagreed with them, and items of a table whose name was lost are in a table\n"
      "recovered-N.\n"
      "Example:\n"
      "  dynolith repair ./data ./saved");
  repair->callback([exit_code] {
    const absl::StatusOr<bool> whole = Repair(folder, saved, key);
    *exit_code = whole.ok() && !*whole ? 3 : Finish(whole.status());
  });
}

}  // namespace dynolith
