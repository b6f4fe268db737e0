// The past states of a table's items: the present rows, undone. All functions read one snapshot,
// taken after History::Await(the latest requested time), and need memory for one item.
//
//   history->Await(time);
//   const std::shared_ptr<const Snapshot> snapshot = store->TakeSnapshot();
//   VisitItemsAt(*snapshot, RangeOfId(table_id), time, visit);
//
// `rows` are the row keys to read: all of a table (RangeOfId), or a range of them; nothing else is
// read.
//
// Requires in all functions: in the snapshot, the table's point-in-time recovery is on, and has
// been since the earliest requested time; the table's rows are not reclaimed meanwhile. Errors in
// all functions: those of `visit`, which end the walk; kDataLoss; the store's.
#ifndef DYNOLITH_ENGINE_HISTORY_PAST_ITEMS_H_
#define DYNOLITH_ENGINE_HISTORY_PAST_ITEMS_H_

#include <optional>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/key/key_codec.h"
#include "engine/store/store.h"
#include "engine/value/item.h"

namespace dynolith {

// Calls `visit(row key, item)` for each item that existed at `time`, in the order of their row
// keys. The views are valid during the call. O(rows + records of the days since).
absl::Status VisitItemsAt(
    const Snapshot& snapshot, const KeyRange& rows, absl::Time time,
    absl::FunctionRef<absl::Status(std::string_view row_key, ItemView item)> visit);

// The change of an item from one time to another. Both images may be missing: then the item came
// and went in between. They may also be equal: then it was changed and changed back.
struct PastChange {
  std::string_view row_key;
  std::optional<ItemView> before;  // at `from`
  std::optional<ItemView> after;   // at `to`
  absl::Time last_change;          // the latest of them, in whole milliseconds
};

// Calls `visit` for each item that was changed later than `from` and not later than `to`, in the
// order of their row keys. The views are valid during the call. O(records of the days since
// `from`).
absl::Status VisitChanges(const Snapshot& snapshot, const KeyRange& rows, absl::Time from,
                          absl::Time to, absl::FunctionRef<absl::Status(const PastChange&)> visit);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_HISTORY_PAST_ITEMS_H_
