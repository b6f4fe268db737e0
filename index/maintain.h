// The changes by one write in every index of its table.
#ifndef DYNOLITH_INDEX_MAINTAIN_H_
#define DYNOLITH_INDEX_MAINTAIN_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/catalog/row_follower.h"
#include "engine/catalog/table_meta.h"
#include "engine/key/schema.h"
#include "engine/store/store.h"
#include "engine/value/item.h"

namespace dynolith {

// The cost of one write for an index, for capacity accounting (api/facts/capacity.md §1, "GSI write
// cost per index"; api/facts/newest.md §3 for vector indexes).
struct IndexWork {
  size_t index = 0;               // position in TableSchema::indexes
  double write_units = 0;         // not of a vector index
  double vector_write_bytes = 0;  // for a vector index
  // Of the entry; 0 if there was or is none.
  size_t bytes_before = 0;
  size_t bytes_after = 0;
  bool moves = false;  // moves to another key
};

// Appends to `batch` the changes of index rows for the item's change from `before` to `after`
// (nullptr: no such item): nothing for an unchanged entry, one put for a changed projection, a
// delete and a put for a moved key. An index that is resharded is changed in both layouts and
// charged once. Reports each touched index. Requires: both items have the same table key.
void MaintainIndexes(const TableSchema& schema, const ItemView* before, const ItemView* after,
                     WriteBatch* batch, std::vector<IndexWork>* work);

// Maintains the index rows of one commit, as a RowFollower.
class IndexMaintainer {
 public:
  static bool Concerns(const TableMeta& meta) { return !meta.schema.indexes.empty(); }
  absl::Status Append(const RowChange& change, WriteBatch* batch) {
    MaintainIndexes(change.meta.schema, change.before, change.after, batch, &work_);
    return absl::OkStatus();
  }
  // The cost of the changes since the last call.
  std::vector<IndexWork> TakeWork() { return std::exchange(work_, {}); }

 private:
  std::vector<IndexWork> work_;
};

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_MAINTAIN_H_
