// `dynolith store`: makes, checks and upgrades the store of several servers in a PostgreSQL
// database.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/postgres/address.h"
#include "engine/store/postgres/messages.h"
#include "engine/store/postgres/schema.h"
#include "tools/program/command_parts.h"
#include "tools/program/commands.h"
#include "tools/program/messages.h"

namespace dynolith {
namespace {

// Values of --stamps.
constexpr const char* kCounter = "counter";
constexpr const char* kTransactionIds = "transaction-ids";

absl::Status Init(const std::string& url, const std::string& role, const std::string& stamps) {
  std::optional<postgres::StampSource> wanted;
  if (stamps == kCounter) wanted = postgres::StampSource::kCounter;
  if (stamps == kTransactionIds) wanted = postgres::StampSource::kTransactionIds;
  DYNOLITH_ASSIGN_OR_RETURN(const postgres::StampSource chosen,
                            postgres::InitStore(url, role, wanted));
  const std::string said = messages::StoreStamps(chosen == postgres::StampSource::kCounter);
  std::fputs(Concat(messages::StoreInitialised(), said, "\n").c_str(), stdout);
  return absl::OkStatus();
}

absl::Status CheckUse(const std::string& url) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> lines, postgres::CheckStore(url));
  for (const std::string& line : lines) std::fputs(Concat(line, "\n").c_str(), stdout);
  return absl::OkStatus();
}

absl::Status Upgrade(const std::string& url) {
  DYNOLITH_ASSIGN_OR_RETURN(const int before, postgres::UpgradeStore(url));
  std::fputs(messages::StoreUpgraded(before, postgres::kSchemaVersion).c_str(), stdout);
  return absl::OkStatus();
}

CLI::App* AddPart(CLI::App* store, const char* name, const char* what, std::string* url) {
  CLI::App* const part = store->add_subcommand(name, what);
  part->add_option("URL", *url, "The database: postgresql://role@host,host/database")->required();
  return part;
}

}  // namespace

void AddStore(CLI::App* app, int* exit_code) {
  static std::string url;
  static std::string role;
  static std::string stamps;
  CLI::App* const store =
      app->add_subcommand("store", "Make and check the store of several servers, on PostgreSQL");
  store->require_subcommand(1);
  CLI::App* const init =
      AddPart(store, "init", "Make the schema \"dynolith\" for a store in a database", &url);
  init->add_option("--grant", role, "Give this role what a server needs, and no more")
      ->type_name("ROLE");
  init->add_option("--stamps", stamps,
                   "What orders the records of streams; chosen by the server if not given")
      ->check(CLI::IsMember({kCounter, kTransactionIds}));
  init->callback([exit_code] { *exit_code = Finish(Init(url, role, stamps)); });
  CLI::App* const check =
      AddPart(store, "check", "Say whether servers can use the store, and what it survives", &url);
  check->callback([exit_code] { *exit_code = Finish(CheckUse(url)); });
  CLI::App* const upgrade =
      AddPart(store, "upgrade",
              "Bring the schema to this program's version, while no server uses it", &url);
  upgrade->callback([exit_code] { *exit_code = Finish(Upgrade(url)); });
  store->footer(
      "A role without a password in the URL has it in ~/.pgpass or PGPASSWORD.\n"
      "Examples:\n"
      "  dynolith store init postgresql://owner@db1,db2/music --grant music\n"
      "  dynolith store check postgresql://music@db1,db2/music\n"
      "  dynolith serve --store postgresql://music@db1,db2/music");
}

}  // namespace dynolith
