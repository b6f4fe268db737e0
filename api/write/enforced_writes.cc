#include "api/write/enforced_writes.h"

#include <algorithm>

#include "engine/base/errors.h"
#include "engine/key/key_codec.h"
#include "engine/partition/capacity.h"
#include "index/entry.h"

namespace dynolith {
namespace {

// INSERT's condition is that there is nothing yet.
bool IsFailedCondition(const absl::Status& status) {
  if (status.ok()) return false;
  const ErrorKind kind = KindOf(status);
  return kind == ErrorKind::kConditionalCheckFailed || kind == ErrorKind::kDuplicateItem;
}

// What a write has cost its table.
void AddTableUse(const RowOutcome& outcome, size_t use, EnforcedCapacity* capacity) {
  capacity->AddUnits(use, outcome.table_units);
  capacity->AddSize(use, std::max(outcome.bytes_before, outcome.bytes_after));
}

}  // namespace

bool IsCapacityEnforced(absl::Span<const RowWrite> writes) {
  return std::any_of(writes.begin(), writes.end(),
                     [](const RowWrite& write) { return write.table->throughput.is_enforced(); });
}

bool IsUseWanted(absl::Span<const RowWrite> writes) {
  return std::any_of(writes.begin(), writes.end(), [](const RowWrite& write) {
    return write.table->throughput.is_enforced() || write.table->use.is_watched();
  });
}

bool AsksOnce(absl::Span<const RowWrite> writes) {
  const RowWrite& write = writes[0];
  const bool is_blind = write.kind == RowWrite::Kind::kPut || write.kind == RowWrite::Kind::kDelete;
  return writes.size() == 1 && is_blind && write.condition == nullptr && !write.inserts &&
         !write.expired_at && !write.takes_no_capacity && write.meta->schema.indexes.empty();
}

absl::Status EnforcedWrite::CheckAndCharge(const RowOutcome& outcome) {
  AddTableUse(outcome, use_, &capacity_);
  if (capacity_.is_enforced()) {
    const auto after = static_cast<int64_t>(outcome.bytes_after);
    capacity_.AddBytes(use_, after - static_cast<int64_t>(outcome.bytes_before));
  }
  return capacity_.CheckAndCharge();
}

EnforcedWrites::EnforcedWrites(const OperationContext& context, absl::Span<const RowWrite> writes)
    : context_(context), writes_(writes), collections_(writes) {
  uses_.reserve(writes.size());
  for (const RowWrite& write : writes) {
    EnforcedCapacity& capacity = uses_.emplace_back(context, write.table, *write.meta);
    // A deletion by time to live costs nothing, and a bulk put nothing of the table's.
    if (capacity.wants_uses() && !write.expired_at && !write.takes_no_capacity) {
      capacity.Add(AccessKind::kWrite, nullptr, write.row_key);
    }
  }
}

void EnforcedWrites::CheckTables(absl::Span<RowOutcome> outcomes) {
  for (size_t i = 0; i < writes_.size(); ++i) outcomes[i].status = uses_[i].Check();
}

void EnforcedWrites::CheckIndexes(absl::Span<RowOutcome> outcomes) {
  for (size_t i = 0; i < writes_.size(); ++i) {
    const RowWrite& write = writes_[i];
    const RowOutcome& outcome = outcomes[i];
    if (!uses_[i].is_used()) continue;
    const TableSchema& schema = write.meta->schema;
    for (const IndexWork& work : outcome.index_work) {
      const IndexSchema& index = schema.indexes[work.index];
      if (index.kind == IndexKind::kLocal) uses_[i].AddUnits(kTable, work.write_units);
      if (index.kind != IndexKind::kGlobal) continue;
      // Of an entry that moves, all is charged where it comes to.
      const ItemView item = work.bytes_after > 0 ? *outcome.new_item : *outcome.old_item;
      const size_t use = uses_[i].Add(AccessKind::kWrite, &index, EntryKey(index, schema, item));
      uses_[i].AddUnits(use, work.write_units);
      uses_[i].AddSize(use, std::max(work.bytes_before, work.bytes_after));
    }
    outcomes[i].status = uses_[i].Check(kTable + 1);
  }
}

std::string_view EnforcedWrites::EntryKey(const IndexSchema& index, const TableSchema& schema,
                                          ItemView item) {
  std::string& row_key = index_row_keys_.emplace_back();
  AppendIndexRowKey(index.layout(), index.key, schema.key, item, &row_key);
  return row_key;
}

void EnforcedWrites::CheckAndCharge(absl::Span<RowOutcome> outcomes) {
  CheckIndexes(outcomes);
  if (AnyFailed(outcomes)) return;
  for (size_t i = 0; i < writes_.size(); ++i) {
    if (uses_[i].is_used()) AddTableUse(outcomes[i], kTable, &uses_[i]);
    if (uses_[i].is_enforced()) AddBytes(i, outcomes[i]);
    uses_[i].Charge();
  }
}

void EnforcedWrites::AddBytes(size_t i, const RowOutcome& outcome) {
  const RowWrite& write = writes_[i];
  EnforcedCapacity& capacity = uses_[i];
  const TableSchema& schema = write.meta->schema;
  const auto add_use = [&](const IndexSchema* index, std::string_view row_key) {
    return capacity.Add(AccessKind::kWrite, index, row_key, EnforcedCapacity::Names::kNothing);
  };
  // What was asked for stands there already: the table and then each index.
  const bool was_asked = capacity.is_used();
  size_t next = kTable;
  auto table_bytes =
      static_cast<int64_t>(outcome.bytes_after) - static_cast<int64_t>(outcome.bytes_before);
  // A table's partitions hold its local indexes, too.
  for (const IndexWork& work : outcome.index_work) {
    if (schema.indexes[work.index].kind != IndexKind::kLocal) continue;
    table_bytes += static_cast<int64_t>(work.bytes_after) - static_cast<int64_t>(work.bytes_before);
  }
  capacity.AddBytes(was_asked ? next++ : add_use(nullptr, write.row_key), table_bytes);
  for (const IndexWork& work : outcome.index_work) {
    const IndexSchema& index = schema.indexes[work.index];
    if (index.kind != IndexKind::kGlobal) continue;
    const auto before = static_cast<int64_t>(work.bytes_before);
    const auto after = static_cast<int64_t>(work.bytes_after);
    const ItemView item = after > 0 ? *outcome.new_item : *outcome.old_item;
    const size_t use = was_asked ? next++ : add_use(&index, EntryKey(index, schema, item));
    capacity.AddBytes(use, work.moves ? after : after - before);
    if (!work.moves) continue;
    capacity.AddBytes(add_use(&index, EntryKey(index, schema, *outcome.old_item)), -before);
  }
}

void EnforcedWrites::ChargeFailed(absl::Span<const RowOutcome> outcomes) {
  for (size_t i = 0; i < writes_.size(); ++i) {
    const RowWrite& write = writes_[i];
    if (!uses_[i].is_used() || !IsFailedCondition(outcomes[i].status)) continue;
    const TableSchema& schema = write.meta->schema;
    const size_t attempted =
        write.kind == RowWrite::Kind::kPut ? TableBilledBytes(schema, write.item) : 0;
    uses_[i].AddUnits(
        kTable, WriteUnits(std::max(outcomes[i].bytes_before, attempted), write.transactional));
    uses_[i].Charge();
  }
}

}  // namespace dynolith
