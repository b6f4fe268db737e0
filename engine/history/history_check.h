// Verifies the history of tables with point-in-time recovery, for checks of a whole store.
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
  // Records of dropped tables, which are deleted later and do no harm; in a SharedStore also of
  // tables whose recovery was switched off.
  uint64_t stale_records = 0;
  uint64_t disagreements = 0;
};

// Verifies for every record that it can be decoded, that its table exists and has point-in-time
// recovery, that its time agrees with its place and is before all future times, and that its image
// belongs to its item; and, in a LocalStore, for the records of each item, together with the item
// itself, that each change has changed something. Calls `report` with one line per disagreement.
// Requires: no concurrent writes. Errors: only those that prevent the check itself.
absl::Status CheckHistory(Store* store, const Catalog& catalog,
                          absl::FunctionRef<void(const std::string&)> report,
                          HistoryCheckSummary* summary);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_HISTORY_HISTORY_CHECK_H_
