// One change of one row, and its outcome.
#ifndef DYNOLITH_API_WRITE_PLANNED_WRITE_H_
#define DYNOLITH_API_WRITE_PLANNED_WRITE_H_

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/catalog/catalog.h"
#include "engine/expr/expression.h"
#include "engine/store/store.h"
#include "engine/value/item.h"
#include "index/maintain.h"

namespace dynolith {

struct ItemVersion;

// An operation's requirements of a write beyond the row itself.
struct RowWriteOptions {
  // For an update; others ignore it.
  const Update* update = nullptr;
  const Condition* condition = nullptr;
  // Whether the caller needs the old item (ReturnValues, exact capacity, metrics).
  bool wants_old = false;
  // Whether it is also needed after the row has been written.
  bool keeps_old = false;
  // Whether a failed condition carries the old item.
  bool returns_old_on_failure = false;
  // Whether the charge of the update has the limit of an item, and sizes come before the condition:
  // an UpdateExpression of UpdateItem.
  bool charges_update = false;
  // Whether the row must not exist: PartiQL's INSERT, whose failure is DuplicateItemException.
  bool inserts = false;
  bool transactional = false;
  // The version of a write that another region has done: it has no effect unless it is newer than
  // that of the item here. nullptr: a write of this region.
  const ItemVersion* replicated = nullptr;
  // Whether it consumes none of the table's capacity: a bulk put, which is billed by its bytes.
  bool takes_no_capacity = false;
};

// One change of one row as planned by an operation; all parts have been checked. Borrows from the
// request. Made by one of the two functions, so that no part is left out.
struct RowWrite : RowWriteOptions {
  enum class Kind : uint8_t { kPut, kUpdate, kDelete, kCheck };

  // `item`: for a put the new item, otherwise the key. `meta` is the table's as long as the caller
  // holds its gate. Requires: `item` has the table's key, of its types.
  static RowWrite Of(Kind kind, Table* table, const TableMeta& meta, ItemView item,
                     const RowWriteOptions& options = {});
  // The same if the row key of `item` has been made already.
  static RowWrite OfRow(Kind kind, Table* table, const TableMeta& meta, std::string row_key,
                        ItemView item, const RowWriteOptions& options);
  // Time to live's delete of a row: unless the item has expired at `now` it stays, which is no
  // failure.
  static RowWrite OfExpired(Table* table, const TableMeta& meta, std::string_view row_key,
                            absl::Time now);

  Kind kind = Kind::kPut;
  Table* table = nullptr;
  const TableMeta* meta = nullptr;
  std::string row_key;
  ItemView item;
  // For OfExpired.
  std::optional<absl::Time> expired_at;
};

// What is known of the old item without reading it: the commit fails unless it is so. kPresent: it
// is there, whatever it is; kValue: it is `old_item`.
enum class Presumed : uint8_t { kNothing, kAbsent, kPresent, kValue };

// The outcome of a RowWrite.
struct RowOutcome {
  // The failed condition, or a run-time error of the update.
  absl::Status status;
  // Set when the row exists and more than its size was requested; borrowed from `old_row`.
  std::optional<ItemView> old_item;
  // Set unless the row does not exist afterwards; borrowed from the request, from `updated` or from
  // `old_row`.
  std::optional<ItemView> new_item;
  // The table's billed bytes before and afterwards, without entries of indexes.
  size_t bytes_before = 0;
  size_t bytes_after = 0;
  double table_units = 0;
  Presumed presumed = Presumed::kNothing;
  std::vector<IndexWork> index_work;
  // Whether a replicated write is older than the item here.
  bool is_outdated = false;

  Row old_row;
  Item updated;
};

inline bool AnyFailed(absl::Span<const RowOutcome> outcomes) {
  return std::any_of(outcomes.begin(), outcomes.end(),
                     [](const RowOutcome& outcome) { return !outcome.status.ok(); });
}

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_PLANNED_WRITE_H_
