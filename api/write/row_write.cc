#include "api/write/row_write.h"

#include <algorithm>
#include <cassert>

#include "absl/cleanup/cleanup.h"
#include "absl/container/inlined_vector.h"
#include "api/request/call_bounds.h"
#include "api/request/key_checks.h"
#include "api/write/conflict_table.h"
#include "api/write/messages.h"
#include "api/write/write_capacity.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/row_follower.h"
#include "engine/history/history.h"
#include "engine/key/key_codec.h"
#include "engine/partition/capacity.h"
#include "engine/stream/stream_log.h"
#include "engine/ttl/expiry.h"
#include "engine/ttl/expiry_index.h"
#include "engine/value/attachments.h"
#include "engine/value/messages.h"
#include "index/entry.h"
#include "index/graph/vector_graphs.h"

namespace dynolith {
namespace {

RowLocks::Guard LockRows(const OperationContext& context, absl::Span<const RowWrite> writes,
                         const WriteCapacity& capacity) {
  absl::InlinedVector<std::string_view, 4> keys;
  for (const RowWrite& write : writes) keys.push_back(write.row_key);
  capacity.AddKeysTo(&keys);
  return context.locks->Lock(keys);
}

// Writes that derive from the changes of one commit, each with the rows of one feature.
class DerivedWrites {
 public:
  explicit DerivedWrites(const OperationContext& context)
      : expiry_(context.expiry), history_(context.history), stream_(context.streams) {}

  // Returns whether changes of the table's rows have derived writes.
  static bool Concern(const TableMeta& meta) {
    return AnyConcerned<IndexMaintainer, ExpiryMaintainer, HistoryRecorder, StreamRecorder>(meta);
  }

  absl::Status Append(const RowChange& change, WriteBatch* batch) {
    return AppendEach(change, batch, &indexes_, &expiry_, &history_, &stream_);
  }

  // The cost of the changes since the last call for the indexes.
  std::vector<IndexWork> TakeIndexWork() { return indexes_.TakeWork(); }

 private:
  template <RowFollower... Each>
  static bool AnyConcerned(const TableMeta& meta) {
    return (Each::Concerns(meta) || ...);
  }

  template <RowFollower... Each>
  static absl::Status AppendEach(const RowChange& change, WriteBatch* batch, Each*... each) {
    absl::Status status;
    const auto append = [&](auto* follower) {
      if (follower->Concerns(change.meta)) status = follower->Append(change, batch);
      return status.ok();
    };
    static_cast<void>((append(each) && ...));
    return status;
  }

  IndexMaintainer indexes_;
  ExpiryMaintainer expiry_;
  HistoryRecorder history_;
  StreamRecorder stream_;
};

// An unconditional put or delete needs no old item unless derived writes do.
bool NeedsOldItem(const RowWrite& write) {
  const bool blind = write.kind == RowWrite::Kind::kPut || write.kind == RowWrite::Kind::kDelete;
  return !blind || write.condition != nullptr || write.wants_old || write.inserts ||
         write.expired_at || DerivedWrites::Concern(*write.meta);
}

// The cost of a write depends on the size of the old item, even if nothing else needs it.
bool NeedsOldSize(const RowWrite& write) {
  return !NeedsOldItem(write) && write.table->throughput.is_enforced();
}

// Returns whether there is one write, without derived writes, that needs at most the size of the
// old item. The commit reports that size for less than the cost of a read.
bool IsOneBlind(absl::Span<const RowWrite> writes) {
  const RowWrite& write = writes[0];
  return writes.size() == 1 && NeedsOldSize(write) && !write.transactional &&
         !write.takes_no_capacity;
}

void SetBefore(const RowWrite& write, std::string_view row, RowOutcome* outcome) {
  outcome->bytes_before = TableBilledBytes(write.meta->schema, ItemView::Unchecked(row));
}

absl::Status ReadOld(const OperationContext& context, const RowWrite& write, RowOutcome* outcome) {
  const bool needs_item = NeedsOldItem(write);
  if (!needs_item && !NeedsOldSize(write)) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(const bool found,
                            context.store->Get(Family::kTables, write.row_key, &outcome->old_row));
  if (!found) return absl::OkStatus();
  SetBefore(write, outcome->old_row.value(), outcome);
  if (needs_item) outcome->old_item = ItemView::Unchecked(outcome->old_row.value());
  return absl::OkStatus();
}

// Before anything is evaluated: the condition, the values that the update takes out of the old
// item, and copies of it for the table and its indexes. Of a call that may take what it needs
// nothing is asked, and none is interrupted: a write of items ends soon. Errors: kCancelled, as
// SpendWork's.
absl::Status SpendEvaluation(const OperationContext& context, const RowWrite& write,
                             const RowOutcome& outcome) {
  if (context.allowance == nullptr) return absl::OkStatus();
  const ItemView old_item = outcome.old_item.value_or(ItemView());
  size_t work = old_item.bytes().size() * (1 + write.meta->schema.indexes.size());
  if (write.condition != nullptr) work += write.condition->WorkAtMost(old_item);
  if (write.update != nullptr) {
    const size_t evaluations = write.charges_update ? 2 : 1;
    work += evaluations * write.update->WorkAtMost(old_item);
  }
  return context.allowance->Spend(work) ? absl::OkStatus() : absl::CancelledError();
}

absl::Status ConditionFailed(const RowWrite& write, const RowOutcome& outcome) {
  absl::Status status = MakeError(ErrorKind::kConditionalCheckFailed, messages::ConditionFailed());
  if (write.returns_old_on_failure && outcome.old_item) {
    AttachItem(*outcome.old_item, &status);
  }
  return status;
}

absl::Status CheckSize(const RowWrite& write, ItemView item) {
  const TableSchema& schema = write.meta->schema;
  const bool is_update = write.kind == RowWrite::Kind::kUpdate;
  // A put's own size was checked with the request; only local entries can push it over the limit.
  if (!is_update && !HasLocalIndex(schema)) return absl::OkStatus();
  const size_t bytes =
      HasLocalIndex(schema) ? BilledBytesWithLocalEntries(schema, item) : BilledBytes(item);
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

// Checks the limit of an item for the charge of the update and for the item that it makes. A
// violation of the update itself is reported after the condition was evaluated.
absl::Status CheckCharge(const RowWrite& write, const RowOutcome& outcome) {
  const auto check = [](size_t bytes) {
    return bytes <= kItemBytesMax ? absl::OkStatus()
                                  : ValidationError(messages::UpdatedItemTooLarge());
  };
  const Update& update = *write.update;
  const bool exists = outcome.old_item.has_value();
  const ItemView old_item = exists ? *outcome.old_item : write.item;
  // Most updates are far from both limits: for them this sums nothing and builds no item.
  if (update.BytesAtMost(old_item) <= kItemBytesMax) return absl::OkStatus();
  DYNOLITH_RETURN_IF_ERROR(check(update.ChargedBytes()));
  if (!exists && !update.creates_item()) return absl::OkStatus();
  const absl::StatusOr<Item> updated = update.Apply(old_item, exists);
  return updated.ok() ? check(BilledBytes(updated->view())) : absl::OkStatus();
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
  if (write.charges_update) DYNOLITH_RETURN_IF_ERROR(CheckCharge(write, *outcome));
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

void SetUnits(const RowWrite& write, RowOutcome* outcome) {
  outcome->table_units =
      WriteUnits(std::max(outcome->bytes_before, outcome->bytes_after), write.transactional);
}

absl::Status Apply(const RowWrite& write, DerivedWrites* derived, WriteBatch* batch,
                   RowOutcome* outcome) {
  const ItemView* before = outcome->old_item ? &*outcome->old_item : nullptr;
  const ItemView* after = outcome->new_item ? &*outcome->new_item : nullptr;
  const TableSchema& schema = write.meta->schema;
  outcome->bytes_after = after ? TableBilledBytes(schema, *after) : 0;
  SetUnits(write, outcome);
  if (write.kind == RowWrite::Kind::kCheck) return absl::OkStatus();
  if (before != nullptr && after != nullptr && *before == *after) return absl::OkStatus();

  if (after != nullptr) {
    batch->Put(Family::kTables, write.row_key, after->bytes());
  } else if (before != nullptr || !NeedsOldItem(write)) {
    batch->Delete(Family::kTables, write.row_key);
  }
  if (before == nullptr && after == nullptr) return absl::OkStatus();
  DYNOLITH_RETURN_IF_ERROR(derived->Append({.meta = *write.meta,
                                            .row_key = write.row_key,
                                            .before = before,
                                            .after = after,
                                            .by_time_to_live = write.expired_at.has_value()},
                                           batch));
  // Of indexes no more than outside of a transaction (api/facts/capacity.md §1).
  outcome->index_work = derived->TakeIndexWork();
  return absl::OkStatus();
}

// If nothing holds a row, a store in memory overwrites its value in place.
void LetGoOfOld(const RowWrite& write, RowOutcome* outcome) {
  if (write.kind != RowWrite::Kind::kPut && write.kind != RowWrite::Kind::kUpdate) return;
  if (write.keeps_old || !outcome->old_item) return;
  outcome->old_item.reset();
  outcome->old_row.Release();
}

// Performs a blind write. Its cost, and whether its table has capacity for it, are known when the
// commit finds the replaced row.
absl::Status CommitOver(const OperationContext& context, const RowWrite& write,
                        WriteCapacity* capacity, absl::Span<RowOutcome> outcomes) {
  RowOutcome& outcome = outcomes[0];
  std::optional<std::string_view> value;
  if (write.kind == RowWrite::Kind::kPut) {
    outcome.new_item = write.item;
    outcome.bytes_after = TableBilledBytes(write.meta->schema, write.item);
    value = write.item.bytes();
  }
  const auto charge = [&](const std::string_view* row) {
    if (row != nullptr) SetBefore(write, *row, &outcome);
    SetUnits(write, &outcome);
    capacity->Charge(outcomes);
    return outcome.status;
  };
  absl::Status committed = context.store->CommitOver(write.row_key, value, charge);
  if (!outcome.status.ok()) return absl::OkStatus();
  if (committed.ok()) write.table->counts.AddWrites(1);
  return committed;
}

// Enters the rows into the table of conflicts, if there is one. A row with a conflict fails its
// outcome.
ConflictTable::Entry EnterConflicts(const OperationContext& context,
                                    absl::Span<const RowWrite> writes,
                                    absl::Span<RowOutcome> outcomes) {
  if (context.conflicts == nullptr) return {};
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

// All writes are evaluated before one fails the transaction.
absl::Status ReadAndEvaluate(const OperationContext& context, absl::Span<const RowWrite> writes,
                             absl::Span<RowOutcome> outcomes) {
  for (size_t i = 0; i < writes.size(); ++i) {
    DYNOLITH_RETURN_IF_ERROR(ReadOld(context, writes[i], &outcomes[i]));
  }
  for (size_t i = 0; i < writes.size(); ++i) {
    DYNOLITH_RETURN_IF_ERROR(SpendEvaluation(context, writes[i], outcomes[i]));
    outcomes[i].status = Evaluate(writes[i], &outcomes[i]);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Execute(const OperationContext& context, absl::Span<const RowWrite> writes,
                     absl::Span<RowOutcome> outcomes,
                     absl::FunctionRef<void(WriteBatch*)> before_commit) {
  // Also if nothing would change.
  DYNOLITH_RETURN_IF_ERROR(context.store->CheckWritable());
  if (writes.empty()) return absl::OkStatus();
  const ConflictTable::Entry entry = EnterConflicts(context, writes, outcomes);
  if (AnyFailed(outcomes)) return absl::OkStatus();
  WriteCapacity capacity(context, writes);
  if (!capacity.Admit(outcomes)) return absl::OkStatus();
  const RowLocks::Guard guard = LockRows(context, writes, capacity);
  if (IsOneBlind(writes)) return CommitOver(context, writes[0], &capacity, outcomes);

  DYNOLITH_RETURN_IF_ERROR(ReadAndEvaluate(context, writes, outcomes));
  if (AnyFailed(outcomes)) {
    capacity.ChargeFailed(outcomes);
    return absl::OkStatus();
  }
  DYNOLITH_RETURN_IF_ERROR(capacity.CheckCollections(outcomes));
  if (AnyFailed(outcomes)) return absl::OkStatus();

  static thread_local WriteBatch batch;
  const absl::Cleanup clear = [] { batch.Clear(); };
  // Created after the row locks and destroyed before them, so the records of an item are in order.
  DerivedWrites derived(context);
  for (size_t i = 0; i < writes.size(); ++i) {
    DYNOLITH_RETURN_IF_ERROR(Apply(writes[i], &derived, &batch, &outcomes[i]));
  }
  if (!capacity.Charge(outcomes)) return absl::OkStatus();
  before_commit(&batch);
  if (batch.empty()) return absl::OkStatus();
  if (writes.size() == 1) LetGoOfOld(writes[0], &outcomes[0]);
  DYNOLITH_RETURN_IF_ERROR(context.store->Commit(batch));
  for (const RowWrite& write : writes) write.table->counts.AddWrites(1);
  if (context.vector_graphs != nullptr) context.vector_graphs->Follow(batch);
  capacity.Remember();
  return absl::OkStatus();
}

}  // namespace dynolith
