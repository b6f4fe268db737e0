// Derived writes of a row's change, in the same commit: one interface for indexes, expiry rows, the
// history and the change log, so that writers treat them alike.
#ifndef DYNOLITH_ENGINE_CATALOG_ROW_FOLLOWER_H_
#define DYNOLITH_ENGINE_CATALOG_ROW_FOLLOWER_H_

#include <concepts>
#include <string_view>

#include "absl/status/status.h"
#include "engine/catalog/table_meta.h"
#include "engine/store/store.h"
#include "engine/value/item.h"

namespace dynolith {

// An effective change of one row of a table: the items are not the same, and not both absent.
// Borrows everything.
struct RowChange {
  // Stays current until the commit.
  const TableMeta& meta;
  std::string_view row_key;
  const ItemView* before = nullptr;  // nullptr: no such item
  const ItemView* after = nullptr;
  bool by_time_to_live = false;
};

// The derived writes of one commit, for one feature of tables. Made before the batch is filled and
// destroyed after its commit (or without one, if that failed), with the row locks held all the
// time.
//
//   Concerns(meta)         whether changes of the table's rows have derived writes at all; then the
//                          change must be made with knowledge of the previous item
//   Append(change, batch)  adds the derived rows of the change. At most once for each row.
//                          Requires: Concerns(change.meta). Errors: the store's.
//
// A concept rather than a base class: a write into a table without such features costs some
// comparisons, and no virtual call.
template <typename T>
concept RowFollower = requires(T& follower, const TableMeta& meta, const RowChange& change,
                               WriteBatch* batch) {
  { T::Concerns(meta) } -> std::same_as<bool>;
  { follower.Append(change, batch) } -> std::same_as<absl::Status>;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_CATALOG_ROW_FOLLOWER_H_
