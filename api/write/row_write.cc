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
#include "api/write/messages.h"
#include "api/write/write_capacity.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/catalog_version.h"
#include "engine/catalog/row_follower.h"
#include "engine/history/history.h"
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

// Writes that derive from the changes of one commit, each with the rows of one feature.
class DerivedWrites {
 public:
  // `is_again`: as in ExecuteOnce.
  DerivedWrites(const OperationContext& context, const Transaction* transaction, bool is_again)
      : expiry_(context.expiry),
        history_(context.history, transaction->local() == nullptr ? transaction : nullptr,
                 is_again),
        stream_(context.streams, transaction),
        replicas_(context.replica_log) {}

  // Returns whether changes of the table's rows have derived writes.
  static bool Concern(const TableMeta& meta) {
    return AnyConcerned<IndexMaintainer, ExpiryMaintainer, HistoryRecorder, StreamRecorder,
                        ReplicaRecorder>(meta);
  }

  absl::Status Append(const RowChange& change, WriteBatch* batch) {
    return AppendEach(change, batch, &indexes_, &expiry_, &history_, &stream_);
  }

  // What replicas need of a write, which may have left the item as it was.
  absl::Status AppendVersion(const RowWrite& write, const RowChange& change, WriteBatch* batch) {
    if (write.replicated == nullptr) return replicas_.Append(change, batch);
    replicas_.AppendReceived(change, *write.replicated, batch);
    return absl::OkStatus();
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
  ReplicaRecorder replicas_;
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

// Requires: the row is there.
void TakeOld(const RowWrite& write, bool needs_item, RowOutcome* outcome) {
  SetBefore(write, outcome->old_row.value(), outcome);
  if (needs_item) outcome->old_item = ItemView::Unchecked(outcome->old_row.value());
}

absl::Status ReadOld(const ReadView& rows, const RowWrite& write, RowOutcome* outcome) {
  const bool needs_item = NeedsOldItem(write);
  if (!needs_item && !NeedsOldSize(write)) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(const bool found,
                            rows.Get(Family::kTables, write.row_key, &outcome->old_row));
  if (found) TakeOld(write, needs_item, outcome);
  return absl::OkStatus();
}

bool NeedsOld(const RowWrite& write) { return NeedsOldItem(write) || NeedsOldSize(write); }

// Whether the condition depends on nothing but whether the item exists: then its key is known.
bool AsksForKeyOnly(const RowWrite& write) {
  if (write.condition == nullptr) return true;
  bool is_key_only = true;
  write.condition->ForEachPath([&](const Path& path) {
    is_key_only =
        is_key_only && path.is_top_level() && write.meta->schema.key.Contains(path.attribute());
  });
  return is_key_only;
}

// What the old item has to be for the write to happen, if it is not worth reading: an item that has
// to be absent is known then, and one that has to be there may be overwritten unseen.
Presumed PresumedOf(const RowWrite& write) {
  if (write.expired_at || (write.condition == nullptr && !write.inserts)) return Presumed::kNothing;
  // What a failed condition costs depends on the item.
  if (write.table->throughput.is_enforced() || !AsksForKeyOnly(write)) return Presumed::kNothing;
  const auto matches = [&](ItemView item) {
    return write.condition == nullptr || write.condition->Matches(item);
  };
  const bool if_absent = matches(ItemView());
  const bool if_present = !write.inserts && matches(write.item);
  if (if_absent == if_present) return Presumed::kNothing;
  if (if_absent) return Presumed::kAbsent;
  RowWrite unconditional = write;
  unconditional.condition = nullptr;
  return NeedsOld(unconditional) ? Presumed::kNothing : Presumed::kPresent;
}

// The first attempt in a store elsewhere presumes what would let its conditions hold, where that
// saves the round trip of a read. If it was not so the next one reads.
void Presume(absl::Span<const RowWrite> writes, Transaction* transaction,
             absl::Span<RowOutcome> outcomes) {
  for (size_t i = 0; i < writes.size(); ++i) {
    Presumed presumed = PresumedOf(writes[i]);
    const std::string_view key = writes[i].row_key;
    if (presumed == Presumed::kAbsent) transaction->Expect(Family::kTables, key, std::nullopt);
    if (presumed == Presumed::kPresent && !transaction->ExpectPresent(Family::kTables, key)) {
      presumed = Presumed::kNothing;
    }
    outcomes[i].presumed = presumed;
  }
}

bool MustRead(const RowWrite& write, const RowOutcome& outcome) {
  return outcome.presumed == Presumed::kNothing && NeedsOld(write);
}

// In one round trip to a store elsewhere. `is_again`: others have changed the rows of the last
// attempt, or the tables, which is asked with them.
absl::Status ReadOldTogether(const OperationContext& context, const ReadView& rows, bool is_again,
                             absl::Span<const RowWrite> writes, absl::Span<RowOutcome> outcomes) {
  std::vector<RowRead> reads;
  for (size_t i = 0; i < writes.size(); ++i) {
    if (!MustRead(writes[i], outcomes[i])) continue;
    reads.push_back(
        {.family = Family::kTables, .key = writes[i].row_key, .row = &outcomes[i].old_row});
  }
  Row version;
  if (is_again) reads.push_back(CatalogVersionRead(&version));
  if (reads.empty()) return absl::OkStatus();
  DYNOLITH_RETURN_IF_ERROR(rows.MultiGet(absl::MakeSpan(reads)));
  if (is_again) DYNOLITH_RETURN_IF_ERROR(context.catalog->CheckUnchanged(reads.back()));
  size_t next = 0;
  for (size_t i = 0; i < writes.size(); ++i) {
    if (!MustRead(writes[i], outcomes[i]) || !reads[next++].found) continue;
    TakeOld(writes[i], NeedsOldItem(writes[i]), &outcomes[i]);
  }
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
                             bool is_again, absl::Span<const RowWrite> writes,
                             absl::Span<RowOutcome> outcomes) {
  if (transaction.local() == nullptr) {
    DYNOLITH_RETURN_IF_ERROR(
        ReadOldTogether(context, transaction.reads(), is_again, writes, outcomes));
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
absl::Status ConfirmReads(Transaction* transaction) {
  return transaction->local() != nullptr ? absl::OkStatus() : transaction->Commit(WriteBatch());
}

// In a SharedStore: `is_again`: as in ReadOldTogether.
absl::Status PrepareShared(const OperationContext& context, absl::Span<const RowWrite> writes,
                           bool is_again, Transaction* transaction,
                           absl::Span<RowOutcome> outcomes) {
  const auto any_concerns = [&writes](bool (*concerns)(const TableMeta&)) {
    return std::any_of(writes.begin(), writes.end(),
                       [&](const RowWrite& write) { return concerns(*write.meta); });
  };
  if (context.history != nullptr && any_concerns(&HistoryRecorder::Concerns)) {
    DYNOLITH_RETURN_IF_ERROR(context.history->PrepareChange(is_again));
  }
  context.catalog->ExpectUnchanged(transaction);
  if (!is_again) {
    Presume(writes, transaction, outcomes);
    return absl::OkStatus();
  }
  for (RowOutcome& outcome : outcomes) outcome = RowOutcome();
  const bool has_streams = any_concerns(&StreamRecorder::Concerns);
  return has_streams && context.streams != nullptr ? context.streams->Refresh() : absl::OkStatus();
}

// One attempt. Errors: kAborted: nothing is changed, and it must be run again; the store's.
absl::Status ExecuteOnce(const OperationContext& context, absl::Span<const RowWrite> writes,
                         bool is_again, Transaction* transaction, WriteCapacity* capacity,
                         absl::Span<RowOutcome> outcomes, BeforeCommit before_commit) {
  DYNOLITH_RETURN_IF_ERROR(ReadAndEvaluate(context, *transaction, is_again, writes, outcomes));
  if (AnyFailed(outcomes)) {
    DYNOLITH_RETURN_IF_ERROR(ConfirmReads(transaction));
    capacity->ChargeFailed(outcomes);
    return absl::OkStatus();
  }
  DYNOLITH_RETURN_IF_ERROR(capacity->CheckCollections(outcomes));
  if (AnyFailed(outcomes)) return ConfirmReads(transaction);

  static thread_local WriteBatch batch;
  const absl::Cleanup clear = [] { batch.Clear(); };
  // Created after the row locks and destroyed before them, so the records of an item are in order.
  DerivedWrites derived(context, transaction, is_again);
  for (size_t i = 0; i < writes.size(); ++i) {
    DYNOLITH_RETURN_IF_ERROR(Apply(writes[i], &derived, &batch, &outcomes[i]));
  }
  if (!capacity->Charge(outcomes)) return ConfirmReads(transaction);
  DYNOLITH_RETURN_IF_ERROR(before_commit(*transaction, &batch));
  if (batch.empty()) return ConfirmReads(transaction);
  if (writes.size() == 1) LetGoOfOld(writes[0], &outcomes[0]);
  DYNOLITH_RETURN_IF_ERROR(transaction->Commit(batch));
  for (const RowWrite& write : writes) write.table->counts.AddWrites(1);
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
  bool has_begun = false;
  return RunTransaction([&] {
    Transaction transaction(context.store, context.locks, keys);
    const bool is_again = std::exchange(has_begun, true);
    if (transaction.local() == nullptr) {
      DYNOLITH_RETURN_IF_ERROR(PrepareShared(context, writes, is_again, &transaction, outcomes));
    } else if (IsOneBlind(writes)) {
      return CommitOver(transaction.local(), writes[0], &capacity, outcomes);
    }
    return ExecuteOnce(context, writes, is_again, &transaction, &capacity, outcomes, before_commit);
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
