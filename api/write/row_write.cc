#include "api/write/row_write.h"

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "api/request/key_checks.h"
#include "api/write/conflict_table.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/messages/items.h"
#include "engine/base/messages/partiql.h"
#include "engine/base/messages/transactions.h"
#include "engine/base/messages/values.h"
#include "engine/base/status_macros.h"
#include "engine/history/history.h"
#include "engine/partition/capacity.h"
#include "engine/stream/stream_log.h"
#include "engine/ttl/expiry.h"
#include "engine/ttl/expiry_index.h"

namespace dynolith {
namespace {

RowLocks::Guard LockRows(const OperationContext& context, absl::Span<const RowWrite> writes) {
  absl::InlinedVector<std::string_view, 4> keys;
  for (const RowWrite& write : writes) keys.push_back(write.row_key);
  return context.locks->Lock(keys);
}

// An unconditional put or delete in a table without indexes depends on nothing before it.
bool NeedsOldItem(const RowWrite& write) {
  const bool blind = write.kind == RowWrite::Kind::kPut || write.kind == RowWrite::Kind::kDelete;
  return !blind || write.condition != nullptr || write.wants_old || write.inserts ||
         !write.meta->schema.indexes.empty() || write.meta->stream.enabled ||
         write.meta->time_to_live.enabled || write.meta->point_in_time_recovery || write.expired_at;
}

absl::Status ReadOld(const OperationContext& context, const RowWrite& write, RowOutcome* outcome) {
  if (!NeedsOldItem(write)) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(const bool found,
                            context.store->Get(Family::kTables, write.row_key, &outcome->old_row));
  if (found) outcome->old_item = ItemView::Unchecked(outcome->old_row.value());
  return absl::OkStatus();
}

absl::Status ConditionFailed(const RowWrite& write, const RowOutcome& outcome) {
  absl::Status status = MakeError(ErrorKind::kConditionalCheckFailed, messages::ConditionFailed());
  if (write.returns_old_on_failure && outcome.old_item) {
    AttachItem(outcome.old_item->bytes(), &status);
  }
  return status;
}

// The size rule of a table with local indexes: the item and its entries there share one limit
// (facts/values.md §7).
size_t BilledWithLocalEntries(const TableSchema& schema, ItemView item) {
  size_t bytes = BilledBytes(item);
  for (const IndexSchema& index : schema.indexes) {
    if (index.kind != IndexKind::kLocal) continue;
    if (const auto entry = EntryOf(index, schema.key, item)) {
      bytes += BilledBytes(ItemView::Unchecked(entry->value));
    }
  }
  return bytes;
}

bool HasLocalIndex(const TableSchema& schema) {
  return std::any_of(schema.indexes.begin(), schema.indexes.end(),
                     [](const IndexSchema& index) { return index.kind == IndexKind::kLocal; });
}

absl::Status CheckSize(const RowWrite& write, ItemView item) {
  const TableSchema& schema = write.meta->schema;
  const bool is_update = write.kind == RowWrite::Kind::kUpdate;
  // A put's own size was checked with the request; only local entries can push it over the limit.
  if (!is_update && !HasLocalIndex(schema)) return absl::OkStatus();
  const size_t bytes =
      HasLocalIndex(schema) ? BilledWithLocalEntries(schema, item) : BilledBytes(item);
  if (bytes <= kItemBytesMax) return absl::OkStatus();
  return ValidationError(is_update ? messages::UpdatedItemTooLarge() : messages::ItemTooLarge());
}

absl::Status EvaluateUpdate(const RowWrite& write, RowOutcome* outcome) {
  const bool exists = outcome->old_item.has_value();
  if (!exists && !write.update->creates_item()) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(outcome->updated,
                            write.update->Apply(exists ? *outcome->old_item : write.item, exists));
  outcome->new_item = outcome->updated.view();
  DYNOLITH_RETURN_IF_ERROR(
      CheckUpdatedIndexKeys(write.meta->schema, outcome->old_item, *outcome->new_item));
  return CheckSize(write, *outcome->new_item);
}

bool HasExpired(const RowWrite& write, const std::optional<ItemView>& item) {
  const TimeToLiveState& time_to_live = write.meta->time_to_live;
  if (!time_to_live.enabled || !item) return false;
  const std::optional<int64_t> expiry = ExpirySeconds(*item, time_to_live.attribute_name);
  return expiry && IsExpired(*expiry, *write.expired_at);
}

absl::Status Evaluate(const RowWrite& write, RowOutcome* outcome) {
  if (write.expired_at && !HasExpired(write, outcome->old_item)) {
    outcome->new_item = outcome->old_item;
    return absl::OkStatus();
  }
  if (write.inserts && outcome->old_item) {
    return MakeError(ErrorKind::kDuplicateItem, messages::DuplicateItem());
  }
  if (write.condition != nullptr &&
      !write.condition->Matches(outcome->old_item.value_or(ItemView()))) {
    return ConditionFailed(write, *outcome);
  }
  switch (write.kind) {
    case RowWrite::Kind::kPut:
      outcome->new_item = write.item;
      return CheckSize(write, write.item);
    case RowWrite::Kind::kUpdate:
      return EvaluateUpdate(write, outcome);
    case RowWrite::Kind::kDelete:
      return absl::OkStatus();
    case RowWrite::Kind::kCheck:
      outcome->new_item = outcome->old_item;
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

// One commit on its way.
struct Commit {
  explicit Commit(const OperationContext& context)
      : records(context.streams), history(context.history) {}

  WriteBatch* batch = nullptr;
  StreamRecorder records;
  HistoryRecorder history;
  // The least expiry for which a row was added.
  std::optional<int64_t> earliest_expiry;
};

// What follows a row's change in the same commit: index rows, the expiry row, the history's record,
// the stream's record. nullptr: no such item.
absl::Status Follow(const OperationContext& context, const RowWrite& write, const ItemView* before,
                    const ItemView* after, Commit* commit, RowOutcome* outcome) {
  if (!write.meta->schema.indexes.empty()) {
    MaintainIndexes(write.meta->schema, before, after, commit->batch, &outcome->index_work);
  }
  if (before == nullptr && after == nullptr) return absl::OkStatus();
  const auto expiry = MaintainExpiry(*write.meta, write.row_key, before, after, commit->batch);
  if (expiry) {
    commit->earliest_expiry = std::min(*expiry, commit->earliest_expiry.value_or(*expiry));
  }
  if (write.meta->point_in_time_recovery && context.history != nullptr) {
    DYNOLITH_RETURN_IF_ERROR(commit->history.Add(write.row_key, before, commit->batch));
  }
  if (!write.meta->stream.enabled || context.streams == nullptr) return absl::OkStatus();
  return commit->records.Add(*write.meta,
                             {.row_key = write.row_key,
                              .before = before,
                              .after = after,
                              .by_time_to_live = write.expired_at.has_value()},
                             commit->batch);
}

absl::Status Apply(const OperationContext& context, const RowWrite& write, Commit* commit,
                   RowOutcome* outcome) {
  const ItemView* before = outcome->old_item ? &*outcome->old_item : nullptr;
  const ItemView* after = outcome->new_item ? &*outcome->new_item : nullptr;
  const TableSchema& schema = write.meta->schema;
  const size_t bytes = std::max(before ? WriteBilledBytes(schema, *before) : 0,
                                after ? WriteBilledBytes(schema, *after) : 0);
  outcome->table_units = WriteUnits(bytes, write.transactional);
  if (write.kind == RowWrite::Kind::kCheck) return absl::OkStatus();
  if (before != nullptr && after != nullptr && *before == *after) return absl::OkStatus();

  if (after != nullptr) {
    commit->batch->Put(Family::kTables, write.row_key, after->bytes());
  } else if (before != nullptr || !NeedsOldItem(write)) {
    commit->batch->Delete(Family::kTables, write.row_key);
  }
  DYNOLITH_RETURN_IF_ERROR(Follow(context, write, before, after, commit, outcome));
  if (write.transactional) {
    for (IndexWork& work : outcome->index_work) work.write_units *= 2;
  }
  return absl::OkStatus();
}

// Enters the rows into the table of conflicts. Rows that are taken fail their outcomes.
ConflictTable::Entry EnterConflicts(const OperationContext& context,
                                    absl::Span<const RowWrite> writes,
                                    absl::Span<RowOutcome> outcomes) {
  std::vector<size_t> taken;
  absl::InlinedVector<std::string_view, 4> keys;
  for (const RowWrite& write : writes) keys.push_back(write.row_key);
  const auto kind =
      writes[0].transactional ? ConflictTable::Kind::kTransaction : ConflictTable::Kind::kPlain;
  ConflictTable::Entry entry = context.conflicts->Enter(keys, kind, &taken);
  for (const size_t i : taken) {
    outcomes[i].status =
        MakeError(ErrorKind::kTransactionConflict, messages::TransactionConflict());
  }
  return entry;
}

bool AnyFailed(absl::Span<const RowOutcome> outcomes) {
  return std::any_of(outcomes.begin(), outcomes.end(),
                     [](const RowOutcome& outcome) { return !outcome.status.ok(); });
}

}  // namespace

absl::Status Execute(const OperationContext& context, absl::Span<const RowWrite> writes,
                     absl::Span<RowOutcome> outcomes,
                     absl::FunctionRef<void(WriteBatch*)> before_commit) {
  // Also where nothing would change.
  DYNOLITH_RETURN_IF_ERROR(context.store->CheckWritable());
  ConflictTable::Entry entry;
  if (context.conflicts != nullptr) {
    entry = EnterConflicts(context, writes, outcomes);
    if (AnyFailed(outcomes)) return absl::OkStatus();
  }
  const RowLocks::Guard guard = LockRows(context, writes);
  for (size_t i = 0; i < writes.size(); ++i) {
    DYNOLITH_RETURN_IF_ERROR(ReadOld(context, writes[i], &outcomes[i]));
  }
  for (size_t i = 0; i < writes.size(); ++i) {
    outcomes[i].status = Evaluate(writes[i], &outcomes[i]);
  }
  if (AnyFailed(outcomes)) return absl::OkStatus();

  static thread_local WriteBatch batch;
  batch.Clear();
  // Made under the row locks and gone before them: the records of an item are in order.
  Commit commit(context);
  commit.batch = &batch;
  for (size_t i = 0; i < writes.size(); ++i) {
    DYNOLITH_RETURN_IF_ERROR(Apply(context, writes[i], &commit, &outcomes[i]));
  }
  before_commit(&batch);
  if (batch.empty()) return absl::OkStatus();
  DYNOLITH_RETURN_IF_ERROR(context.store->Commit(batch));
  if (commit.earliest_expiry && context.expiry != nullptr) {
    context.expiry->NoteCommitted(*commit.earliest_expiry);
  }
  for (const RowWrite& write : writes) write.table->counts.AddWrites(1);
  return absl::OkStatus();
}

}  // namespace dynolith
