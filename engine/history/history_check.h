// Verifies the history of tables with point-in-time recovery, for whoever checks a whole store.
#ifndef DYNOLITH_ENGINE_HISTORY_HISTORY_CHECK_H_
#define DYNOLITH_ENGINE_HISTORY_HISTORY_CHECK_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "engine/catalog/catalog.h"
#include "engine/store/store.h"

namespace dynolith {

struct HistoryCheckSummary {
  uint64_t records = 0;
  // Records of tables that are gone, which are deleted later and do no harm.
  uint64_t stale_records = 0;
  uint64_t disagreements = 0;
};

// Verifies of every record that it can be understood, that its table is there and has point-in-time
// recovery, that its time is that of its place and before all times to come, and that its image is
// of its item; and of the records of each item, together with the item itself, that each of the
// changes has changed something. Calls `report` with one line per disagreement. Requires: nobody
// writes meanwhile. Errors: only what keeps the check itself from running.
absl::Status CheckHistory(Store* store, const Catalog& catalog,
                          absl::FunctionRef<void(const std::string&)> report,
                          HistoryCheckSummary* summary);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_HISTORY_HISTORY_CHECK_H_
