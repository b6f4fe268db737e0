#include "tools/dynolith/repair.h"

#include <cstdio>

#include "engine/base/messages/repair.h"
#include "engine/base/status_macros.h"
#include "engine/store/salvage.h"

namespace dynolith {

absl::StatusOr<bool> Repair(const std::string& folder, const std::string& saved) {
  const auto report = [](const std::string& line) {
    std::fputs(messages::RepairLossLine(line).c_str(), stdout);
  };
  DYNOLITH_ASSIGN_OR_RETURN(const SalvageSummary summary, Salvage(folder, saved, report));
  std::fputs(messages::RepairSummaryLine(saved, summary.table_files, summary.logs, summary.changes,
                                         summary.losses)
                 .c_str(),
             stdout);
  return summary.losses == 0;
}

}  // namespace dynolith
