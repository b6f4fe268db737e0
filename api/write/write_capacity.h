// The use of capacity by the writes of one commit, where it is enforced or watched: a write needs
// room on its table and on every global index that it touches (api/facts/capacity.md §5). A refused
// write has no effect.
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

// Whether it is enforced for any of the tables.
bool IsCapacityEnforced(absl::Span<const RowWrite> writes);

// Borrows the writes. Destroy it after the row locks (RequestCapacity).
class WriteCapacity {
 public:
  WriteCapacity(const OperationContext& context, absl::Span<const RowWrite> writes);

  // Adds the keys to lock with the rows.
  template <typename Keys>
  void AddKeysTo(Keys* keys) const {
    collections_.AddKeysTo(keys);
  }
  // Before anything is read. False: it has failed the outcomes of writes for which their table has
  // no room. A single write that only this can refuse is admitted when it is charged, under one
  // lock.
  bool Admit(absl::Span<RowOutcome> outcomes);
  // A failed condition has a cost as well. Requires: all have been evaluated.
  void ChargeFailed(absl::Span<const RowOutcome> outcomes);
  // Fails writes that make an item collection too large. Requires: all have been evaluated. Errors:
  // CollectionLimit::Check's.
  // In a SharedStore not, as nobody tells a process how much others have added.
  absl::Status CheckCollections(absl::Span<RowOutcome> outcomes) {
    if (context_.store->local() == nullptr) return absl::OkStatus();
    return collections_.Check(context_, outcomes);
  }
  // Charges the costs of all of them. False: it has failed those for which a touched index has no
  // room, and charged nothing. Requires: all have been applied. An attempt that follows an aborted
  // one charges nothing more.
  bool Charge(absl::Span<RowOutcome> outcomes);
  // Call it after their commit.
  void Remember() const { collections_.Remember(); }

 private:
  struct WriteUse {
    RequestCapacity capacity;
    // A deletion by time to live costs nothing, and a bulk put nothing of the table's.
    bool is_free = false;
    // Nothing is refused that is free, or that another region of a strong table has admitted.
    bool is_admitted = false;
    // Where they are watched: of the table, then, once they are known, of each global index.
    absl::InlinedVector<ThroughputUse, 2> uses;
  };

  // The cost for the table, and for the local indexes, which are in the table's partitions.
  static void SetTableCost(const RowWrite& write, const RowOutcome& outcome, WriteUse* use);
  void AddIndexes(const RowWrite& write, const RowOutcome& outcome, WriteUse* use);
  // The positions that entries have left.
  void AddMoved(const RowWrite& write, const RowOutcome& outcome, WriteUse* use);
  // The row key of the item's entry; lives as long as this.
  std::string_view EntryKey(const IndexSchema& index, const TableSchema& schema, ItemView item);

  const OperationContext& context_;
  const absl::Span<const RowWrite> writes_;
  CollectionLimit collections_;
  bool is_admitted_when_charged_ = false;
  bool is_charged_ = false;
  absl::InlinedVector<WriteUse, 1> uses_;  // of each write; empty: not watched
  std::list<std::string> index_row_keys_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_WRITE_CAPACITY_H_
