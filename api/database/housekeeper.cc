#include "api/database/housekeeper.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "api/database/latest_time.h"
#include "api/database/messages.h"
#include "api/request/current_tables.h"
#include "api/table/deleted_table_backup.h"
#include "api/table/table_lifecycle.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/expired_backups.h"
#include "engine/catalog/unowned_ids.h"
#include "engine/history/history.h"
#include "engine/partition/access_observer.h"
#include "engine/store/row_id.h"
#include "engine/store/transaction/ended_processes.h"
#include "engine/store/transaction/transaction.h"
#include "engine/stream/stream_log.h"
#include "engine/ttl/expiry.h"

namespace dynolith {
namespace {

constexpr size_t kRowsAtOnce = 256;
// Enough to share the price of a commit, few enough not to hold up writers and Stop.
constexpr size_t kItemsPerCommit = 32;
// So that filling a large table does not keep others from being swept.
constexpr int kFillStepsPerTick = 64;
// The same for the rows of dropped tables.
constexpr int kReclaimStepsPerTick = 64;
constexpr absl::Duration kCleaningPeriod = absl::Minutes(1);

// The longest beginning of `rows` that may be one commit. Requires: not empty.
absl::Span<const ExpiryIndex::DueRow> FirstBatch(absl::Span<const ExpiryIndex::DueRow> rows) {
  const uint32_t table = RowIdFromKey(rows[0].row_key);
  std::set<std::string_view> items;
  size_t count = 0;
  while (count < std::min(rows.size(), kItemsPerCommit) &&
         RowIdFromKey(rows[count].row_key) == table && items.insert(rows[count].row_key).second) {
    ++count;
  }
  return rows.first(count);
}

}  // namespace

Housekeeper::~Housekeeper() { Stop(); }

bool Housekeeper::Sweeps() const {
  return options_.sweep_period > absl::ZeroDuration() &&
         options_.sweep_period < absl::InfiniteDuration();
}

absl::Status Housekeeper::Start() {
  if (options_.clock == nullptr) return work_.Begin(Pause());
  {
    absl::MutexLock lock(&work_mutex_);
    swept_ = cleaned_ = context_->clock->Now();
  }
  follower_ = options_.clock->Follow([this] { NoteFailure(FollowMove()); });
  return absl::OkStatus();
}

void Housekeeper::Stop() {
  {
    absl::MutexLock lock(&state_mutex_);
    stopping_ = true;
  }
  work_.Stop();
  if (follower_) options_.clock->Unfollow(*std::exchange(follower_, std::nullopt));
}

bool Housekeeper::MustStop(Caller caller) const {
  absl::MutexLock lock(&state_mutex_);
  return caller == Caller::kBackground && stopping_;
}

absl::Status Housekeeper::TakeFailure() {
  absl::Status failure = work_.TakeFailure();
  absl::MutexLock lock(&state_mutex_);
  failure.Update(std::exchange(first_failure_, absl::OkStatus()));
  return failure;
}

void Housekeeper::NoteFailure(const absl::Status& status) {
  if (process_.IsForked()) return;
  absl::MutexLock lock(&state_mutex_);
  first_failure_.Update(status);
}

absl::Duration Housekeeper::Pause() const {
  const absl::Duration pause = Sweeps() ? options_.sweep_period : kCleaningPeriod;
  // Leases end otherwise, and others take them.
  return context_->store->local() == nullptr ? std::min(pause, kLeaseTime / 4) : pause;
}

absl::Duration Housekeeper::KeepHouse() {
  const absl::Status kept = Tick();
  // Without its lease the work is another process's.
  if (!absl::IsCancelled(kept)) NoteFailure(kept);
  absl::MutexLock lock(&work_mutex_);
  return kept.ok() && has_more_to_reclaim_ ? absl::ZeroDuration() : Pause();
}

absl::StatusOr<bool> Housekeeper::HoldLease() {
  if (options_.keep_others) DYNOLITH_RETURN_IF_ERROR(options_.keep_others());
  if (options_.leases == nullptr) return true;
  DYNOLITH_ASSIGN_OR_RETURN(lease_, options_.leases->Hold(kHousekeepingLease));
  context_->expiry->WorkUnder(lease_);
  return lease_ != nullptr;
}

absl::Status Housekeeper::NoteAliveIfDue() {
  SharedStore* const store = context_->store->shared();
  const absl::Time now = context_->clock->Now();
  if (store == nullptr || (now - noted_alive_ < kCleaningPeriod && now >= noted_alive_)) {
    return absl::OkStatus();
  }
  DYNOLITH_RETURN_IF_ERROR(NoteAlive(store, now));
  noted_alive_ = now;
  return absl::OkStatus();
}

absl::Status Housekeeper::Tick() {
  absl::MutexLock lock(&work_mutex_);
  has_more_to_reclaim_ = false;  // unless it is found below, with the lease
  DYNOLITH_RETURN_IF_ERROR(NoteAliveIfDue());
  DYNOLITH_ASSIGN_OR_RETURN(const bool is_ours, HoldLease());
  if (!is_ours) return absl::OkStatus();
  if (Sweeps()) {
    DYNOLITH_RETURN_IF_ERROR(Fill(Caller::kBackground, kFillStepsPerTick));
    DYNOLITH_RETURN_IF_ERROR(
        DeleteExpired(Caller::kBackground, context_->expiry->BeginSweep()).status());
  }
  DYNOLITH_RETURN_IF_ERROR(CleanIfDue(Caller::kBackground));
  return Reclaim(Caller::kBackground, kReclaimStepsPerTick);
}

absl::Status Housekeeper::FollowMove() {
  DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
  absl::MutexLock lock(&work_mutex_);
  const absl::Time now = context_->clock->Now();
  DYNOLITH_RETURN_IF_ERROR(RememberClock(context_->store, now));
  DYNOLITH_RETURN_IF_ERROR(NoteAliveIfDue());
  DYNOLITH_ASSIGN_OR_RETURN(const bool is_ours, HoldLease());
  if (!is_ours) return absl::OkStatus();
  if (now < swept_) swept_ = now;  // set back
  if (Sweeps() && now - swept_ >= options_.sweep_period) {
    DYNOLITH_RETURN_IF_ERROR(Fill(Caller::kUser, std::numeric_limits<int>::max()));
    DYNOLITH_RETURN_IF_ERROR(DeleteExpired(Caller::kUser, context_->expiry->BeginSweep()).status());
    swept_ = now;
  }
  DYNOLITH_RETURN_IF_ERROR(CleanIfDue(Caller::kUser));
  return Reclaim(Caller::kUser, std::numeric_limits<int>::max());
}

absl::StatusOr<int64_t> Housekeeper::SweepNow() {
  absl::MutexLock lock(&work_mutex_);
  DYNOLITH_ASSIGN_OR_RETURN(const bool is_ours, HoldLease());
  if (!is_ours) return absl::FailedPreconditionError(messages::AnotherProcessSweeps());
  DYNOLITH_RETURN_IF_ERROR(Fill(Caller::kUser, std::numeric_limits<int>::max()));
  // From the beginning, wherever the last sweep has ended: the clock may have been set back.
  context_->expiry->BeginSweep();
  return DeleteExpired(Caller::kUser, std::numeric_limits<int64_t>::min());
}

absl::Status Housekeeper::Fill(Caller caller, int steps_max) {
  for (int step = 0; step < steps_max && !MustStop(caller); ++step) {
    DYNOLITH_ASSIGN_OR_RETURN(const bool is_ours, HoldLease());
    if (!is_ours) break;
    bool done = false;
    DYNOLITH_RETURN_IF_ERROR(WithCurrentTables(context_->catalog, [&]() -> absl::Status {
      DYNOLITH_ASSIGN_OR_RETURN(done, context_->expiry->FillStep(kRowsAtOnce));
      return absl::OkStatus();
    }));
    if (done) break;
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Housekeeper::DeleteExpired(Caller caller, int64_t first) {
  Sweep sweep;
  sweep.now = context_->clock->Now();
  sweep.first = std::max(first, EarliestExpired(sweep.now));
  sweep.last = LatestExpired(sweep.now);
  sweep.unswept = std::max(sweep.first, sweep.last + 1);
  // An exception, which a lack of memory throws, may leave all rows.
  int64_t unswept = sweep.first;
  const absl::Cleanup end = [&] { context_->expiry->EndSweep(unswept); };
  const absl::Status status = WithCurrentTables(
      context_->catalog,
      [&]() ABSL_NO_THREAD_SAFETY_ANALYSIS { return DeleteExpired(caller, &sweep); });
  unswept = sweep.unswept;
  DYNOLITH_RETURN_IF_ERROR(status);
  return sweep.deleted;
}

absl::Status Housekeeper::DeleteExpired(Caller caller, Sweep* sweep) {
  ExpiryIndex::DueRow position;
  const ExpiryIndex::DueRow* after = nullptr;
  for (;;) {
    const auto rows = context_->expiry->FindDue(sweep->first, sweep->last, after, kRowsAtOnce);
    absl::Status status = rows.status();
    if (!status.ok()) {
      sweep->unswept = std::min(sweep->unswept, after ? after->seconds : sweep->first);
      return status;
    }
    for (size_t i = 0; i < rows->size();) {
      const auto batch = FirstBatch(absl::MakeConstSpan(*rows).subspan(i));
      const bool stops = MustStop(caller);
      if (!stops) status = DeleteItems(batch, sweep);
      if (stops || !status.ok()) {
        sweep->unswept = std::min(sweep->unswept, batch[0].seconds);
        return status;
      }
      i += batch.size();
    }
    if (rows->size() < kRowsAtOnce) return absl::OkStatus();
    position = rows->back();
    after = &position;
  }
}

std::shared_ptr<Table> Housekeeper::FindTableById(StorageId id) {
  if (const auto it = tables_.find(id); it != tables_.end()) return it->second;
  // Looked up after the row was read: a table that has rows and is not there is gone for good.
  tables_.clear();
  for (std::shared_ptr<Table>& table : context_->catalog->All()) {
    const StorageId table_id = table->meta()->schema.id;
    tables_[table_id] = std::move(table);
  }
  const auto it = tables_.find(id);
  return it == tables_.end() ? nullptr : it->second;
}

absl::Status Housekeeper::DeleteItems(absl::Span<const ExpiryIndex::DueRow> rows, Sweep* sweep) {
  // Renews it in a long sweep.
  DYNOLITH_ASSIGN_OR_RETURN(const bool is_ours, HoldLease());
  if (!is_ours) return absl::CancelledError();
  const std::shared_ptr<Table> table = FindTableById(RowIdFromKey(rows[0].row_key));
  if (table == nullptr) return context_->expiry->Drop(rows);
  {
    const SpreadMutex::ReadScope gate(&table->gate);
    const std::shared_ptr<const TableMeta> meta = table->meta();
    if (meta->status == TableStatus::kDeleting) return context_->expiry->Drop(rows);
    std::vector<RowWrite> writes;
    writes.reserve(rows.size());
    for (const ExpiryIndex::DueRow& row : rows) {
      writes.push_back(RowWrite::OfExpired(table.get(), *meta, row.row_key, sweep->now));
    }
    std::vector<RowOutcome> outcomes(rows.size());
    bool is_again = false;
    const auto under_lease = [lease = lease_.get(), &is_again](const Transaction& transaction,
                                                               WriteBatch*) {
      if (lease == nullptr) return absl::OkStatus();
      return lease->Guard(transaction, std::exchange(is_again, true));
    };
    DYNOLITH_RETURN_IF_ERROR(Execute(*context_, writes, absl::MakeSpan(outcomes), under_lease));
    const bool all_done =
        std::all_of(outcomes.begin(), outcomes.end(),
                    [](const RowOutcome& outcome) { return outcome.status.ok(); });
    if (all_done) {
      for (size_t i = 0; i < rows.size(); ++i) {
        DYNOLITH_RETURN_IF_ERROR(FinishRow(*meta, rows[i], outcomes[i], sweep));
      }
      return absl::OkStatus();
    }
  }
  // A transaction has one of the items, so that nothing has been written. The next sweep tries that
  // one again.
  if (rows.size() == 1) sweep->unswept = std::min(sweep->unswept, rows[0].seconds);
  for (size_t i = 0; i < rows.size() && rows.size() > 1; ++i) {
    DYNOLITH_RETURN_IF_ERROR(DeleteItems(rows.subspan(i, 1), sweep));
  }
  return absl::OkStatus();
}

absl::Status Housekeeper::FinishRow(const TableMeta& meta, const ExpiryIndex::DueRow& row,
                                    const RowOutcome& outcome, Sweep* sweep) {
  const bool deleted = outcome.old_item && !outcome.new_item;
  if (deleted) ++sweep->deleted;
  if (deleted && context_->observer != nullptr) {
    context_->observer->NoteExpired(meta.schema, 1, sweep->now);
  }
  // The row went with its item, unless it was left over from before.
  if (deleted &&
      ExpirySeconds(*outcome.old_item, meta.time_to_live.attribute_name) == row.seconds) {
    return absl::OkStatus();
  }
  return context_->expiry->DropIfStale(meta, row);
}

absl::Status Housekeeper::CleanIfDue(Caller caller) {
  const absl::Time now = context_->clock->Now();
  // A clock that was set back must not put it off for long.
  if (now - cleaned_ < kCleaningPeriod && now >= cleaned_) return absl::OkStatus();
  cleaned_ = now;
  return Clean(caller);
}

absl::Status Housekeeper::Reclaim(Caller caller, int steps_max) {
  has_more_to_reclaim_ = false;
  SharedStore* const store = context_->store->shared();
  if (store == nullptr) return absl::OkStatus();
  for (int step = 0; step < steps_max && !MustStop(caller); ++step) {
    DYNOLITH_ASSIGN_OR_RETURN(const bool is_ours, HoldLease());
    if (!is_ours || lease_ == nullptr) return absl::OkStatus();
    DYNOLITH_ASSIGN_OR_RETURN(const bool has_more, ReclaimUnowned(store, *lease_));
    if (!has_more) return absl::OkStatus();
  }
  has_more_to_reclaim_ = true;
  return absl::OkStatus();
}

absl::Status Housekeeper::FinishDeletions() {
  std::set<StorageId> deleting;
  for (const std::shared_ptr<Table>& table : context_->catalog->All()) {
    const std::shared_ptr<const TableMeta> meta = table->meta();
    if (meta->status != TableStatus::kDeleting || meta->status_until) continue;
    if (!deleting_.contains(meta->schema.id)) {
      deleting.insert(meta->schema.id);
    } else {
      DYNOLITH_RETURN_IF_ERROR(DropTable(*context_, meta->schema.name));
    }
  }
  deleting_ = std::move(deleting);
  return absl::OkStatus();
}

absl::Status Housekeeper::Clean(Caller caller) {
  if (SharedStore* const shared = context_->store->shared();
      shared != nullptr && lease_ != nullptr) {
    DYNOLITH_RETURN_IF_ERROR(
        ForgetEndedProcesses(shared, *lease_, context_->clock->Now()).status());
  }
  DYNOLITH_RETURN_IF_ERROR(SettleAll(*context_));
  DYNOLITH_RETURN_IF_ERROR(FinishDeletions());
  DYNOLITH_RETURN_IF_ERROR(DropExpiredBackups(context_->catalog, context_->clock->Now()));
  if (context_->streams != nullptr) {
    DYNOLITH_RETURN_IF_ERROR(context_->streams->FollowAll(*context_->catalog));
    DYNOLITH_RETURN_IF_ERROR(context_->streams->Trim());
  }
  if (context_->history != nullptr) {
    const auto hold =
        [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(work_mutex_) -> absl::StatusOr<const Lease*> {
      if (MustStop(caller)) return nullptr;
      DYNOLITH_RETURN_IF_ERROR(HoldLease().status());
      return lease_.get();
    };
    DYNOLITH_RETURN_IF_ERROR(context_->history->Trim(context_->catalog, hold));
  }
  tables_.clear();  // holds no table that is gone
  std::set<StorageId> with_time_to_live;
  for (const std::shared_ptr<Table>& table : context_->catalog->All()) {
    const std::shared_ptr<const TableMeta> meta = table->meta();
    if (meta->time_to_live.enabled) with_time_to_live.insert(meta->schema.id);
  }
  const bool some_are_gone = !std::includes(with_time_to_live.begin(), with_time_to_live.end(),
                                            with_time_to_live_.begin(), with_time_to_live_.end());
  if (some_are_gone) {
    std::string position;
    for (bool done = false; !done && !MustStop(caller);) {
      DYNOLITH_ASSIGN_OR_RETURN(done, context_->expiry->ClearStep(kRowsAtOnce, &position));
    }
  }
  with_time_to_live_ = std::move(with_time_to_live);
  return absl::OkStatus();
}

}  // namespace dynolith
