// What the writes of one commit use of tables whose capacity is enforced or whose use is watched: a
// write needs room on its table and on every global index that it touches (api/facts/capacity.md
// §5). One that is refused leaves nothing.
#ifndef DYNOLITH_API_WRITE_WRITE_CAPACITY_H_
#define DYNOLITH_API_WRITE_WRITE_CAPACITY_H_

#include <list>
#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "api/request/operation_context.h"
#include "api/table/request_capacity.h"
#include "api/write/collection_limit.h"
#include "api/write/planned_write.h"

namespace dynolith {

// Whether it is for any of the tables.
bool IsCapacityEnforced(absl::Span<const RowWrite> writes);

// Borrows the writes. Must be gone behind the row locks (RequestCapacity).
class WriteCapacity {
 public:
  WriteCapacity(const OperationContext& context, absl::Span<const RowWrite> writes);

  // Locked with the rows: adds them.
  template <typename Keys>
  void AddKeysTo(Keys* keys) const {
    collections_.AddKeysTo(keys);
  }
  // Before anything is read. False: has failed the outcomes of writes for which their table has no
  // room. A single write that nothing but that can refuse is admitted when it is charged, under one
  // lock.
  bool Admit(absl::Span<RowOutcome> outcomes);
  // A condition that failed has a cost as well. Requires: all have been evaluated.
  void ChargeFailed(absl::Span<const RowOutcome> outcomes);
  // Fails those that make an item collection too large. Requires: all have been evaluated. Errors:
  // CollectionLimit::Check's.
  absl::Status CheckCollections(absl::Span<RowOutcome> outcomes) {
    return collections_.Check(context_, outcomes);
  }
  // Takes what all of them have cost. False: has failed those for which an index that they touch
  // has no room, and taken nothing. Requires: all have been applied.
  bool Charge(absl::Span<RowOutcome> outcomes);
  // Has been committed.
  void Remember() const { collections_.Remember(); }

 private:
  struct WriteUse {
    RequestCapacity capacity;
    // A deletion by time to live costs nothing, and a bulk put nothing of the table's.
    bool is_free = false;
    // If anybody wants to know: of the table, then, once they are known, of each global index.
    absl::InlinedVector<ThroughputUse, 2> uses;
  };

  // What it has cost the table, and the local indexes, which are in the table's partitions.
  static void SetTableCost(const RowWrite& write, const RowOutcome& outcome, WriteUse* use);
  void AddIndexes(const RowWrite& write, const RowOutcome& outcome, WriteUse* use);
  // Where entries have gone from.
  void AddMoved(const RowWrite& write, const RowOutcome& outcome, WriteUse* use);
  // Of the item's entry; as long as this.
  std::string_view EntryKey(const IndexSchema& index, const TableSchema& schema, ItemView item);

  const OperationContext& context_;
  const absl::Span<const RowWrite> writes_;
  CollectionLimit collections_;
  bool is_admitted_when_charged_ = false;
  absl::InlinedVector<WriteUse, 1> uses_;  // of each write; empty: nobody wants to know
  std::list<std::string> index_row_keys_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_WRITE_CAPACITY_H_
