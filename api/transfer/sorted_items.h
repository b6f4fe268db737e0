// Puts items of an unreachable table into sorted files with their entries in its indexes: the
// common part of imports and loads of tables.
#ifndef DYNOLITH_API_TRANSFER_SORTED_ITEMS_H_
#define DYNOLITH_API_TRANSFER_SORTED_ITEMS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "engine/key/schema.h"
#include "engine/store/batched_rows.h"
#include "engine/store/local_store.h"
#include "engine/value/item.h"

namespace dynolith {

// Not thread-safe.
class SortedItems {
 public:
  // Both must outlive this. Requires: nobody else writes under any of the schema's ids.
  SortedItems(Store* store, const TableSchema& schema)
      : store_(store), schema_(schema), rows_(NewBulkRows(store)) {}

  // Whether the table may have the item. Errors: ValidationException, in the words of PutItem.
  absl::Status Check(ItemView item) const;
  // Of two items with one key the later one stays. Requires: Check is OK. Errors: the store's.
  absl::Status Put(ItemView item);
  // Call it once, after the last Put: then the items and their index entries exist. Errors: the
  // store's; those of `may_go_on`, which is called from time to time.
  absl::Status Finish(absl::FunctionRef<absl::Status()> may_go_on);

  // The number of items put.
  int64_t items() const { return items_; }

 private:
  Store* const store_;
  const TableSchema& schema_;
  const std::unique_ptr<SortedRows> rows_;
  std::string row_key_;
  int64_t items_ = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_TRANSFER_SORTED_ITEMS_H_
