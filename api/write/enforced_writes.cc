#include "api/write/enforced_writes.h"

#include <algorithm>

#include "engine/base/errors.h"
#include "engine/key/key_codec.h"
#include "engine/partition/capacity.h"
#include "index/entry.h"

namespace dynolith {
namespace {

int64_t BytesOf(const TableSchema& schema, const std::optional<ItemView>& item) {
  return item ? static_cast<int64_t>(BilledBytesWithLocalEntries(schema, *item)) : 0;
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

EnforcedWrites::EnforcedWrites(const OperationContext& context, absl::Span<const RowWrite> writes)
    : context_(context), writes_(writes), collections_(writes) {
  uses_.reserve(writes.size());
  for (const RowWrite& write : writes) {
    uses_.push_back(std::make_unique<EnforcedCapacity>(context, write.table, *write.meta));
    // A deletion by time to live costs nothing.
    if (uses_.back()->wants_uses() && !write.expired_at) {
      uses_.back()->Add(AccessKind::kWrite, nullptr, write.row_key);
    }
  }
}

void EnforcedWrites::CheckTables(absl::Span<RowOutcome> outcomes) {
  for (size_t i = 0; i < writes_.size(); ++i) outcomes[i].status = uses_[i]->Check();
}

void EnforcedWrites::CheckIndexes(absl::Span<RowOutcome> outcomes) {
  for (size_t i = 0; i < writes_.size(); ++i) {
    const RowWrite& write = writes_[i];
    const RowOutcome& outcome = outcomes[i];
    if (!uses_[i]->is_used()) continue;
    const TableSchema& schema = write.meta->schema;
    for (const IndexWork& work : outcome.index_work) {
      const IndexSchema& index = schema.indexes[work.index];
      if (index.kind == IndexKind::kLocal) uses_[i]->AddUnits(kTable, work.write_units);
      if (index.kind != IndexKind::kGlobal) continue;
      // Of an entry that moves, all is charged where it comes to.
      const bool has_entry = outcome.new_item && HasEntry(index, *outcome.new_item);
      std::string& row_key = index_row_keys_.emplace_back();
      AppendIndexRowKey(index.layout(), index.key, schema.key,
                        has_entry ? *outcome.new_item : *outcome.old_item, &row_key);
      const size_t use = uses_[i]->Add(AccessKind::kWrite, &index, row_key);
      uses_[i]->AddUnits(use, work.write_units);
    }
    outcomes[i].status = uses_[i]->Check(kTable + 1);
  }
}

void EnforcedWrites::Charge(absl::Span<const RowOutcome> outcomes) {
  for (size_t i = 0; i < writes_.size(); ++i) {
    if (uses_[i]->is_used()) uses_[i]->AddUnits(kTable, outcomes[i].table_units);
    if (uses_[i]->is_enforced()) AddBytes(i, outcomes[i]);
    uses_[i]->Charge();
  }
}

void EnforcedWrites::AddBytes(size_t i, const RowOutcome& outcome) {
  const TableSchema& schema = writes_[i].meta->schema;
  const auto add = [&](const IndexSchema* index, std::string_view row_key, int64_t bytes) {
    if (bytes == 0) return;
    const size_t use =
        uses_[i]->Add(AccessKind::kWrite, index, row_key, EnforcedCapacity::Names::kNothing);
    uses_[i]->AddBytes(use, bytes);
  };
  const auto add_entry = [&](const IndexSchema& index, ItemView item, int64_t bytes) {
    std::string& row_key = index_row_keys_.emplace_back();
    AppendIndexRowKey(index.layout(), index.key, schema.key, item, &row_key);
    add(&index, row_key, bytes);
  };
  // A table's partitions hold its local indexes, too.
  add(nullptr, writes_[i].row_key,
      BytesOf(schema, outcome.new_item) - BytesOf(schema, outcome.old_item));
  for (const IndexWork& work : outcome.index_work) {
    const IndexSchema& index = schema.indexes[work.index];
    if (index.kind != IndexKind::kGlobal) continue;
    const auto before = static_cast<int64_t>(work.bytes_before);
    const auto after = static_cast<int64_t>(work.bytes_after);
    if (work.moves) {
      add_entry(index, *outcome.old_item, -before);
      add_entry(index, *outcome.new_item, after);
    } else {
      add_entry(index, after > 0 ? *outcome.new_item : *outcome.old_item, after - before);
    }
  }
}

void EnforcedWrites::ChargeFailed(absl::Span<const RowOutcome> outcomes) {
  for (size_t i = 0; i < writes_.size(); ++i) {
    const RowWrite& write = writes_[i];
    const absl::Status& status = outcomes[i].status;
    if (!uses_[i]->is_used()) continue;
    if (status.ok() || KindOf(status) != ErrorKind::kConditionalCheckFailed) continue;
    const TableSchema& schema = write.meta->schema;
    const size_t existing =
        outcomes[i].old_item ? TableBilledBytes(schema, *outcomes[i].old_item) : 0;
    const size_t attempted =
        write.kind == RowWrite::Kind::kPut ? TableBilledBytes(schema, write.item) : 0;
    uses_[i]->AddUnits(kTable, WriteUnits(std::max(existing, attempted), write.transactional));
    uses_[i]->Charge();
  }
}

}  // namespace dynolith
