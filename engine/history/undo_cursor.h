// The records of a table's items, over all days, in the order of their items, then of their stamps.
#ifndef DYNOLITH_ENGINE_HISTORY_UNDO_CURSOR_H_
#define DYNOLITH_ENGINE_HISTORY_UNDO_CURSOR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "engine/history/history_rows.h"
#include "engine/key/key_codec.h"
#include "engine/store/store.h"

namespace dynolith {

// Merges the days of a table, one cursor for each. Views stay valid until the next move. Must be
// destroyed before its snapshot.
class UndoCursor {
 public:
  // Positions at the first record of `first_day` or later of an item in `rows`, which are all row
  // keys of a table (RangeOfId) or some. O(days).
  UndoCursor(const Snapshot& snapshot, const KeyRange& rows, HistoryDay first_day);

  // False after the last record, and after an error.
  bool Valid() const { return current_ < days_.size(); }
  // kDataLoss for a key that is not a record's; the store's.
  absl::Status status() const { return status_; }

  // Require: Valid().
  std::string_view key() const { return days_[current_].key(); }
  const UndoKey& record() const { return record_; }
  std::string_view undo() const { return days_[current_].value(); }

  // Requires: Valid().
  void Next();
  // Moves to the first record of another item than this, or with a stamp greater than `stamp`.
  // Requires: Valid(). O(days), independent of the number of records between.
  void SkipItemThrough(uint64_t stamp);

 private:
  // Takes the least of the days' records.
  void FindCurrent();

  std::vector<Cursor> days_;  // with records
  size_t current_ = 0;        // days_.size(): none
  UndoKey record_;
  absl::Status status_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_HISTORY_UNDO_CURSOR_H_
