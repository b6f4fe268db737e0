#include "api/write/write_capacity.h"

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

bool IsFree(const RowWrite& write) { return write.expired_at || write.takes_no_capacity; }

bool IsAdmitted(const RowWrite& write) {
  return IsFree(write) || (write.replicated != nullptr && write.meta->is_strong);
}

// Whether it is one write, and nothing but its table's capacity can refuse it.
bool IsOneUnconditional(absl::Span<const RowWrite> writes) {
  const RowWrite& write = writes[0];
  const bool is_blind = write.kind == RowWrite::Kind::kPut || write.kind == RowWrite::Kind::kDelete;
  return writes.size() == 1 && is_blind && write.condition == nullptr && !write.inserts &&
         !IsAdmitted(write) && write.meta->schema.indexes.empty();
}

int64_t Growth(size_t before, size_t after) {
  return static_cast<int64_t>(after) - static_cast<int64_t>(before);
}

}  // namespace

bool IsCapacityEnforced(absl::Span<const RowWrite> writes) {
  return std::any_of(writes.begin(), writes.end(),
                     [](const RowWrite& write) { return write.table->throughput.is_enforced(); });
}

WriteCapacity::WriteCapacity(const OperationContext& context, absl::Span<const RowWrite> writes)
    : context_(context), writes_(writes), collections_(writes) {
  const bool is_metered = std::any_of(writes.begin(), writes.end(), [](const RowWrite& write) {
    return write.table->throughput.is_enforced() || write.table->use.is_watched();
  });
  if (!is_metered) return;
  is_admitted_when_charged_ = IsOneUnconditional(writes);
  uses_.reserve(writes.size());
  for (const RowWrite& write : writes) {
    WriteUse& use =
        uses_.emplace_back(WriteUse{.capacity = RequestCapacity(context, write.table, *write.meta),
                                    .is_free = IsFree(write),
                                    .is_admitted = IsAdmitted(write)});
    // What is free is told as well to partitions, which grow.
    const bool is_told = use.is_free ? use.capacity.is_enforced() : use.capacity.is_metered();
    if (is_told) {
      use.uses.push_back(use.capacity.MakeUse(AccessKind::kWrite, nullptr, write.row_key));
    }
  }
}

bool WriteCapacity::Admit(absl::Span<RowOutcome> outcomes) {
  if (is_admitted_when_charged_) return true;
  for (size_t i = 0; i < uses_.size(); ++i) {
    WriteUse& use = uses_[i];
    if (!use.is_admitted) outcomes[i].status = use.capacity.Admit(use.uses);
  }
  return !AnyFailed(outcomes);
}

void WriteCapacity::ChargeFailed(absl::Span<const RowOutcome> outcomes) {
  if (is_charged_) return;
  for (size_t i = 0; i < uses_.size(); ++i) {
    const RowWrite& write = writes_[i];
    WriteUse& use = uses_[i];
    if (use.is_free || use.uses.empty() || !IsFailedCondition(outcomes[i].status)) continue;
    const size_t attempted =
        write.kind == RowWrite::Kind::kPut ? TableBilledBytes(write.meta->schema, write.item) : 0;
    SetCost(WriteUnits(std::max(outcomes[i].bytes_before, attempted), write.transactional),
            /*bytes=*/0, &use.uses[0]);
    use.capacity.Charge(use.uses);
  }
}

bool WriteCapacity::Charge(absl::Span<RowOutcome> outcomes) {
  if (is_charged_) return true;
  for (size_t i = 0; i < uses_.size(); ++i) {
    WriteUse& use = uses_[i];
    if (use.uses.empty()) continue;
    use.uses.erase(use.uses.begin() + 1, use.uses.end());
    SetTableCost(writes_[i], outcomes[i], &use);
    if (is_admitted_when_charged_) {
      outcomes[i].status = use.capacity.AdmitAndCharge(use.uses);
      is_charged_ = outcomes[i].status.ok();
      return is_charged_;
    }
    AddIndexes(writes_[i], outcomes[i], &use);
    if (use.is_admitted) continue;
    outcomes[i].status = use.capacity.Admit(absl::MakeConstSpan(use.uses).subspan(1));
  }
  if (AnyFailed(outcomes)) return false;
  is_charged_ = true;
  for (size_t i = 0; i < uses_.size(); ++i) {
    WriteUse& use = uses_[i];
    if (use.uses.empty()) continue;
    if (use.capacity.is_enforced()) AddMoved(writes_[i], outcomes[i], &use);
    use.capacity.Charge(use.uses);
  }
  return true;
}

void WriteCapacity::SetTableCost(const RowWrite& write, const RowOutcome& outcome, WriteUse* use) {
  double units = outcome.table_units;
  int64_t growth = Growth(outcome.bytes_before, outcome.bytes_after);
  for (const IndexWork& work : outcome.index_work) {
    if (write.meta->schema.indexes[work.index].kind != IndexKind::kLocal) continue;
    units += work.write_units;
    growth += Growth(work.bytes_before, work.bytes_after);
  }
  SetCost(use->is_free ? 0 : units, std::max(outcome.bytes_before, outcome.bytes_after),
          &use->uses[0]);
  use->uses[0].bytes = growth;
}

void WriteCapacity::AddIndexes(const RowWrite& write, const RowOutcome& outcome, WriteUse* use) {
  const TableSchema& schema = write.meta->schema;
  for (const IndexWork& work : outcome.index_work) {
    const IndexSchema& index = schema.indexes[work.index];
    if (index.kind != IndexKind::kGlobal) continue;
    // An entry whose key changes is charged in full to the partition of its new key.
    const ItemView item = work.bytes_after > 0 ? *outcome.new_item : *outcome.old_item;
    ThroughputUse& entry = use->uses.emplace_back(
        use->capacity.MakeUse(AccessKind::kWrite, &index, EntryKey(index, schema, item)));
    SetCost(use->is_free ? 0 : work.write_units, std::max(work.bytes_before, work.bytes_after),
            &entry);
    entry.bytes = Growth(work.moves ? 0 : work.bytes_before, work.bytes_after);
  }
}

void WriteCapacity::AddMoved(const RowWrite& write, const RowOutcome& outcome, WriteUse* use) {
  const TableSchema& schema = write.meta->schema;
  for (const IndexWork& work : outcome.index_work) {
    const IndexSchema& index = schema.indexes[work.index];
    if (index.kind != IndexKind::kGlobal || !work.moves) continue;
    use->uses.push_back(use->capacity.MakeUse(AccessKind::kWrite, &index,
                                              EntryKey(index, schema, *outcome.old_item),
                                              RequestCapacity::Names::kNothing));
    use->uses.back().bytes = Growth(work.bytes_before, 0);
  }
}

std::string_view WriteCapacity::EntryKey(const IndexSchema& index, const TableSchema& schema,
                                         ItemView item) {
  std::string& row_key = index_row_keys_.emplace_back();
  AppendIndexRowKey(index.layout(), index.key, schema.key, item, &row_key);
  return row_key;
}

}  // namespace dynolith
