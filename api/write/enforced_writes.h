// What writes use of tables whose capacity is enforced or whose use is watched: a write needs room
// on its table and on every global index that it touches (api/facts/capacity.md §5). One that is
// refused leaves nothing.
#ifndef DYNOLITH_API_WRITE_ENFORCED_WRITES_H_
#define DYNOLITH_API_WRITE_ENFORCED_WRITES_H_

#include <list>
#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "api/request/operation_context.h"
#include "api/table/enforced_capacity.h"
#include "api/write/collection_limit.h"
#include "api/write/planned_write.h"

namespace dynolith {

// Whether it is for any of the tables.
bool IsCapacityEnforced(absl::Span<const RowWrite> writes);
// Whether that is, or the use of any of the tables is watched.
bool IsUseWanted(absl::Span<const RowWrite> writes);

// Whether it is one write, and nothing but its table's capacity can refuse it. Such a one is asked
// for when it is charged, under one lock.
bool AsksOnce(absl::Span<const RowWrite> writes);

// Of a write that asks once. Borrows it.
class EnforcedWrite {
 public:
  EnforcedWrite(const OperationContext& context, const RowWrite& write)
      : capacity_(context, write.table, *write.meta),
        use_(capacity_.Add(AccessKind::kWrite, nullptr, write.row_key)) {}

  // Errors: as EnforcedCapacity::CheckAndCharge. Requires: it has been applied.
  absl::Status CheckAndCharge(const RowOutcome& outcome);

 private:
  EnforcedCapacity capacity_;
  const size_t use_;
};

// Of any others. Borrows the writes.
class EnforcedWrites {
 public:
  EnforcedWrites(const OperationContext& context, absl::Span<const RowWrite> writes);

  // Locked with the rows: adds them.
  template <typename Keys>
  void AddKeysTo(Keys* keys) const {
    collections_.AddKeysTo(keys);
  }
  // Fails the outcomes of writes for which their table has no room.
  void CheckTables(absl::Span<RowOutcome> outcomes);
  // Fails those that make an item collection too large. Requires: all have been evaluated. Errors:
  // CollectionLimit::Check's.
  absl::Status CheckCollections(absl::Span<RowOutcome> outcomes) {
    return collections_.Check(context_, outcomes);
  }
  // Fails those for which an index that they touch has none; charges what all of them have cost
  // unless one has failed. Requires: all have been applied.
  void CheckAndCharge(absl::Span<RowOutcome> outcomes);
  // So has a condition that failed.
  void ChargeFailed(absl::Span<const RowOutcome> outcomes);
  // Has been committed.
  void Remember() const { collections_.Remember(); }

 private:
  static constexpr size_t kTable = 0;  // the use of a write's table; its indexes follow

  void CheckIndexes(absl::Span<RowOutcome> outcomes);
  // What partitions have grown by.
  void AddBytes(size_t i, const RowOutcome& outcome);
  // Of the item's entry; as long as this.
  std::string_view EntryKey(const IndexSchema& index, const TableSchema& schema, ItemView item);

  const OperationContext& context_;
  const absl::Span<const RowWrite> writes_;
  CollectionLimit collections_;
  // Of each write; of one by time to live nothing.
  absl::InlinedVector<EnforcedCapacity, 1> uses_;
  std::list<std::string> index_row_keys_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_ENFORCED_WRITES_H_
