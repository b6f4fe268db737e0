#include "api/write/row_write.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/container/inlined_vector.h"
#include "api/request/call_bounds.h"
#include "api/request/key_checks.h"
#include "api/write/conflict_table.h"
#include "api/write/derived_writes.h"
#include "api/write/messages.h"
#include "api/write/old_items.h"
#include "api/write/shared_attempts.h"
#include "api/write/write_capacity.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/key/key_codec.h"
#include "engine/partition/access_observer.h"
#include "engine/partition/capacity.h"
#include "engine/replica/replica_log.h"
#include "engine/store/transaction/transaction.h"
#include "engine/stream/stream_log.h"
#include "engine/ttl/expiry.h"
#include "engine/ttl/expiry_index.h"
#include "engine/value/attachments.h"
#include "engine/value/messages.h"
#include "index/entry.h"
#include "index/graph/vector_graphs.h"

namespace dynolith {
namespace {

using WrittenKeys = absl::InlinedVector<std::string_view, 4>;

WrittenKeys KeysOf(absl::Span<const RowWrite> writes, const WriteCapacity& capacity) {
  WrittenKeys keys;
  for (const RowWrite& write : writes) keys.push_back(write.row_key);
  capacity.AddKeysTo(&keys);
  return keys;
}

// Returns whether there is one write, without derived writes, that needs at most the size of the
// old item. The commit reports that size for less than the cost of a read.
bool IsOneBlind(absl::Span<const RowWrite> writes) {
  const RowWrite& write = writes[0];
  return writes.size() == 1 && NeedsOldSize(write) && !write.transactional &&
         !write.takes_no_capacity;
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
  if (write.condition != nullptr && outcome->presumed != Presumed::kPresent &&
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

// In a table with replicas the last of two writes wins, also if it has left the item as it was; a
// deletion of an item that is not there is no write here.
bool HasNewVersion(const RowWrite& write, const ItemView* before, const ItemView* after) {
  if (!ReplicaRecorder::Concerns(*write.meta)) return false;
  if (write.replicated != nullptr) return true;
  if (before == nullptr && after == nullptr) return false;
  return !write.expired_at || after == nullptr;
}

absl::Status Apply(const RowWrite& write, DerivedWrites* derived, WriteBatch* batch,
                   RowOutcome* outcome) {
  const ItemView* before = outcome->old_item ? &*outcome->old_item : nullptr;
  const ItemView* after = outcome->new_item ? &*outcome->new_item : nullptr;
  const TableSchema& schema = write.meta->schema;
  outcome->bytes_after = after ? TableBilledBytes(schema, *after) : 0;
  SetUnits(write, outcome);
  if (write.kind == RowWrite::Kind::kCheck || outcome->is_outdated) return absl::OkStatus();
  const RowChange change = {.meta = *write.meta,
                            .row_key = write.row_key,
                            .before = before,
                            .after = after,
                            .by_time_to_live = write.expired_at.has_value()};
  if (HasNewVersion(write, before, after)) {
    DYNOLITH_RETURN_IF_ERROR(derived->AppendVersion(write, change, batch));
  }
  if (before != nullptr && after != nullptr && *before == *after) return absl::OkStatus();

  if (after != nullptr) {
    batch->Put(Family::kTables, write.row_key, after->bytes());
  } else if (before != nullptr || outcome->presumed == Presumed::kPresent || !NeedsOldItem(write)) {
    batch->Delete(Family::kTables, write.row_key);
  }
  if (before == nullptr && after == nullptr) return absl::OkStatus();
  DYNOLITH_RETURN_IF_ERROR(derived->Append(change, batch));
  // Index entries cost a transaction no more than a single write (api/facts/capacity.md §1).
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
absl::Status CommitOver(LocalStore* store, const RowWrite& write, WriteCapacity* capacity,
                        absl::Span<RowOutcome> outcomes) {
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
  absl::Status committed = store->CommitOver(write.row_key, value, charge);
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

// An older write of another region leaves the item as it is.
absl::Status CompareVersions(const ReadView& rows, const RowWrite& write, RowOutcome* outcome) {
  DYNOLITH_ASSIGN_OR_RETURN(const ItemVersion here, ReplicaLog::VersionOf(rows, write.row_key));
  outcome->is_outdated = *write.replicated <= here;
  if (outcome->is_outdated) outcome->new_item = outcome->old_item;
  return absl::OkStatus();
}

// All writes are evaluated before one fails the transaction.
absl::Status ReadAndEvaluate(const OperationContext& context, const Transaction& transaction,
                             absl::Span<const RowWrite> writes, SharedAttempts* attempts,
                             absl::Span<RowOutcome> outcomes) {
  if (transaction.local() == nullptr) {
    DYNOLITH_RETURN_IF_ERROR(attempts->ReadOld(transaction, outcomes));
  } else {
    for (size_t i = 0; i < writes.size(); ++i) {
      DYNOLITH_RETURN_IF_ERROR(ReadOld(transaction.reads(), writes[i], &outcomes[i]));
    }
  }
  for (size_t i = 0; i < writes.size(); ++i) {
    DYNOLITH_RETURN_IF_ERROR(SpendEvaluation(context, writes[i], outcomes[i]));
    if (writes[i].replicated != nullptr) {
      DYNOLITH_RETURN_IF_ERROR(CompareVersions(transaction.reads(), writes[i], &outcomes[i]));
      if (outcomes[i].is_outdated) continue;
    }
    outcomes[i].status = Evaluate(writes[i], &outcomes[i]);
  }
  return absl::OkStatus();
}

// What is refused depends on rows that were read: in a SharedStore they must have been so.
absl::Status ConfirmReads(SharedAttempts* attempts, Transaction* transaction,
                          absl::Span<const RowOutcome> outcomes) {
  return transaction->local() != nullptr ? absl::OkStatus()
                                         : attempts->Confirm(transaction, outcomes);
}

// One attempt. Errors: kAborted: nothing is changed, and it must be run again; the store's.
absl::Status ExecuteOnce(const OperationContext& context, absl::Span<const RowWrite> writes,
                         SharedAttempts* attempts, Transaction* transaction,
                         WriteCapacity* capacity, absl::Span<RowOutcome> outcomes,
                         BeforeCommit before_commit) {
  DYNOLITH_RETURN_IF_ERROR(ReadAndEvaluate(context, *transaction, writes, attempts, outcomes));
  if (AnyFailed(outcomes)) {
    DYNOLITH_RETURN_IF_ERROR(ConfirmReads(attempts, transaction, outcomes));
    capacity->ChargeFailed(outcomes);
    return absl::OkStatus();
  }
  DYNOLITH_RETURN_IF_ERROR(capacity->CheckCollections(outcomes));
  if (AnyFailed(outcomes)) return ConfirmReads(attempts, transaction, outcomes);

  static thread_local WriteBatch batch;
  const absl::Cleanup clear = [] { batch.Clear(); };
  // Created after the row locks and destroyed before them, so the records of an item are in order.
  DerivedWrites derived(context, transaction, attempts->is_again());
  for (size_t i = 0; i < writes.size(); ++i) {
    DYNOLITH_RETURN_IF_ERROR(Apply(writes[i], &derived, &batch, &outcomes[i]));
  }
  if (!capacity->Charge(outcomes)) return ConfirmReads(attempts, transaction, outcomes);
  DYNOLITH_RETURN_IF_ERROR(before_commit(*transaction, &batch));
  if (batch.empty()) return ConfirmReads(attempts, transaction, outcomes);
  if (transaction->local() == nullptr) {
    DYNOLITH_RETURN_IF_ERROR(attempts->ExpectRead(*transaction, outcomes));
  } else if (writes.size() == 1) {
    LetGoOfOld(writes[0], &outcomes[0]);
  }
  DYNOLITH_RETURN_IF_ERROR(transaction->Commit(batch));
  for (const RowWrite& write : writes) write.table->counts.AddWrites(1);
  if (context.row_beliefs != nullptr) attempts->NoteCommitted(outcomes);
  if (context.vector_graphs != nullptr) context.vector_graphs->Follow(batch);
  capacity->Remember();
  return absl::OkStatus();
}

absl::Status ExecuteAll(const OperationContext& context, absl::Span<const RowWrite> writes,
                        absl::Span<RowOutcome> outcomes, BeforeCommit before_commit) {
  // Also if nothing would change.
  DYNOLITH_RETURN_IF_ERROR(context.store->CheckWritable());
  if (writes.empty()) return absl::OkStatus();
  const ConflictTable::Entry entry = EnterConflicts(context, writes, outcomes);
  if (AnyFailed(outcomes)) return absl::OkStatus();
  WriteCapacity capacity(context, writes);
  if (!capacity.Admit(outcomes)) return absl::OkStatus();
  const WrittenKeys keys = KeysOf(writes, capacity);
  SharedAttempts attempts(context, writes);
  return RunTransaction([&] {
    Transaction transaction(context.store, context.locks, keys);
    if (transaction.local() == nullptr) {
      DYNOLITH_RETURN_IF_ERROR(attempts.Begin(&transaction, outcomes));
    } else if (IsOneBlind(writes)) {
      return CommitOver(transaction.local(), writes[0], &capacity, outcomes);
    }
    return ExecuteOnce(context, writes, &attempts, &transaction, &capacity, outcomes,
                       before_commit);
  });
}

// What has failed alone or among others; of a transaction that was aborted as a whole nothing.
void NoteRowFailures(const OperationContext& context, absl::Span<const RowWrite> writes,
                     absl::Span<const RowOutcome> outcomes) {
  for (size_t i = 0; i < writes.size(); ++i) {
    if (outcomes[i].status.ok()) continue;
    context.observer->NoteRowFailure(writes[i].meta->schema, KindOf(outcomes[i].status));
  }
}

}  // namespace

absl::Status Execute(const OperationContext& context, absl::Span<const RowWrite> writes,
                     absl::Span<RowOutcome> outcomes, BeforeCommit before_commit) {
  absl::Status status = ExecuteAll(context, writes, outcomes, before_commit);
  if (context.observer != nullptr) NoteRowFailures(context, writes, outcomes);
  return status;
}

}  // namespace dynolith
