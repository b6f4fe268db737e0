#include "tools/dynolith/repair.h"

#include <cstdint>
#include <cstdio>
#include <memory>

#include "absl/time/clock.h"
#include "dynolith/database.h"
#include "engine/base/messages/repair.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/salvage.h"
#include "engine/store/store.h"
#include "index/mend_store.h"

namespace dynolith {
namespace {

// As a server will, but for what its clock would delete.
absl::Status OpenAsServed(const std::string& folder) {
  DatabaseOptions options;
  options.path = folder;
  options.read_only = true;
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Database> database, Database::Open(options));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<bool> Repair(const std::string& folder, const std::string& saved) {
  uint64_t losses = 0;
  const auto report = [&losses](const std::string& line) {
    ++losses;
    std::fputs(messages::RepairLossLine(line).c_str(), stdout);
  };
  DYNOLITH_ASSIGN_OR_RETURN(const SalvageSummary summary, Salvage(folder, saved, report));
  {
    DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, Store::Open({.path = saved}));
    DYNOLITH_RETURN_IF_ERROR(MendStore(
        store.get(), {.may_lack_tables = summary.may_lack_meta, .now = absl::Now()}, report));
  }
  DYNOLITH_RETURN_IF_ERROR(OpenAsServed(saved));
  std::fputs(
      messages::RepairSummaryLine(saved, summary.table_files, summary.logs, summary.changes, losses)
          .c_str(),
      stdout);
  return losses == 0;
}

}  // namespace dynolith
