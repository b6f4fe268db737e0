#include "index/backfill_runner.h"

#include <memory>
#include <optional>
#include <utility>

#include "engine/base/exceptions.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/index_layouts.h"
#include "index/backfill.h"

namespace dynolith {
namespace {

// Long enough that the commit of a step is spread over many rows, short enough that writers, which
// wait for the commit, and Stop do not wait long.
constexpr size_t kRowsPerStep = 256;
// The pause before a step that found the disk full is tried again.
constexpr absl::Duration kPauseWithoutRoom = absl::Seconds(1);
// Before one that the store did not answer, or in whose way others were again and again.
constexpr absl::Duration kPauseWithoutStore = absl::Seconds(1);
// And while another process fills.
constexpr absl::Duration kPauseWithoutLease = absl::Seconds(1);

// The index whose layout is still to be filled.
std::optional<std::string> UnfinishedIndex(const TableMeta& meta, StorageId layout_id) {
  if (meta.status == TableStatus::kDeleting) return std::nullopt;
  for (size_t i = 0; i < meta.schema.indexes.size(); ++i) {
    const auto layout = LayoutToFill(meta.schema.indexes[i], meta.index_states[i]);
    if (layout && layout->id == layout_id) return meta.schema.indexes[i].name;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<std::unique_ptr<BackfillRunner>> BackfillRunner::Make(Store* store, RowLocks* locks,
                                                                     Catalog* catalog,
                                                                     BackgroundThreads* threads,
                                                                     BeforeReshard before_reshard,
                                                                     Leases* leases) {
  std::unique_ptr<BackfillRunner> runner(
      new BackfillRunner(store, locks, catalog, threads, std::move(before_reshard), leases));
  DYNOLITH_RETURN_IF_ERROR(runner->work_.Begin(absl::ZeroDuration()));
  return runner;
}

BackfillRunner::BackfillRunner(Store* store, RowLocks* locks, Catalog* catalog,
                               BackgroundThreads* threads, BeforeReshard before_reshard,
                               Leases* leases)
    : store_(store),
      locks_(locks),
      catalog_(catalog),
      before_reshard_(std::move(before_reshard)),
      leases_(leases),
      work_(threads, [this] { return DoStep(); }) {
  CollectAll();
  for (Job& job : jobs_) job.was_interrupted = true;
}

BackfillRunner::~BackfillRunner() { Stop(); }

void BackfillRunner::Stop() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  work_.Stop();
}

void BackfillRunner::Add(const Table& table, StorageId layout_id) {
  absl::MutexLock lock(&mutex_);
  jobs_.push_back({table.meta()->schema.name, layout_id});
  work_.Wake();
}

void BackfillRunner::AddUnfinished(const Table& table) noexcept {
  const absl::Status collected = CatchThrown([&] {
    Collect(table);
    return absl::OkStatus();
  });
  if (!collected.ok()) {
    absl::MutexLock lock(&mutex_);
    must_collect_all_ = true;
  }
  work_.Wake();
}

void BackfillRunner::CollectAll() {
  for (const std::shared_ptr<Table>& table : catalog_->All()) Collect(*table);
  absl::MutexLock lock(&mutex_);
  must_collect_all_ = false;
}

void BackfillRunner::Collect(const Table& table) {
  const std::shared_ptr<const TableMeta> meta = table.meta();
  if (meta->status == TableStatus::kDeleting) return;
  for (size_t i = 0; i < meta->schema.indexes.size(); ++i) {
    const auto layout = LayoutToFill(meta->schema.indexes[i], meta->index_states[i]);
    if (!layout) continue;
    absl::MutexLock lock(&mutex_);
    jobs_.push_back({meta->schema.name, layout->id});
  }
}

bool BackfillRunner::IsIdle() const {
  absl::MutexLock lock(&mutex_);
  return IsEmpty();
}

absl::Status BackfillRunner::WaitUntilIdle() {
  absl::MutexLock lock(&mutex_);
  mutex_.Await(absl::Condition(this, &BackfillRunner::IsIdleOrStops));
  if (!lack_of_room_.ok()) return lack_of_room_;
  return std::exchange(first_failure_, absl::OkStatus());
}

absl::Duration BackfillRunner::DoStep() {
  Job job;
  bool must_collect_all = false;
  {
    absl::MutexLock lock(&mutex_);
    must_collect_all = must_collect_all_;
  }
  if (must_collect_all) CollectAll();
  {
    absl::MutexLock lock(&mutex_);
    if (stopping_ || jobs_.empty()) return absl::InfiniteDuration();
    job = jobs_.front();
  }
  std::shared_ptr<const Lease> lease;
  if (leases_ != nullptr) {
    // What fails is tried again, too.
    lease = leases_->Hold(kBackfillLease).value_or(nullptr);
    if (lease == nullptr) return kPauseWithoutLease;
  }
  {
    absl::MutexLock lock(&mutex_);
    // Reset when the step has returned: it may throw.
    jobs_.front().was_interrupted = true;
  }
  const absl::Duration pause = NoteDone(job, Step(job, lease.get()));
  // So that others need not wait for its end.
  if (leases_ != nullptr && IsIdle()) leases_->Release(kBackfillLease).IgnoreError();
  return pause;
}

absl::Duration BackfillRunner::NoteDone(const Job& job, const absl::StatusOr<bool>& done) {
  absl::MutexLock lock(&mutex_);
  if (stopping_) return absl::InfiniteDuration();
  if (absl::IsResourceExhausted(done.status())) {
    lack_of_room_ = done.status();
    return kPauseWithoutRoom;
  }
  lack_of_room_ = absl::OkStatus();
  if (absl::IsCancelled(done.status())) return kPauseWithoutLease;
  if (absl::IsUnavailable(done.status())) {
    // What it has filled before counts.
    jobs_.front().was_interrupted = job.was_interrupted;
    return kPauseWithoutStore;
  }
  first_failure_.Update(done.status());
  jobs_.front().was_interrupted = false;
  if (!done.ok() || *done) jobs_.pop_front();
  return absl::ZeroDuration();
}

absl::StatusOr<bool> BackfillRunner::Step(const Job& job, const Lease* lease) {
  const std::shared_ptr<Table> table = catalog_->Find(job.table_name);
  if (table == nullptr) return true;
  const auto is_over = [&] { return !UnfinishedIndex(*table->meta(), job.layout_id); };
  const auto index_name = UnfinishedIndex(*table->meta(), job.layout_id);
  if (index_name && job.was_interrupted) {
    DYNOLITH_RETURN_IF_ERROR(BackfillAnew(catalog_, table.get(), *index_name));
  }
  if (is_over()) {
    // The interrupted layout is another job now, under another id.
    if (job.was_interrupted) AddUnfinished(*table);
    return true;
  }
  const auto may_go_on = [&] {
    absl::MutexLock lock(&mutex_);
    return stopping_ || is_over() ? absl::CancelledError() : absl::OkStatus();
  };
  auto done = BackfillStep(store_, locks_, catalog_, table.get(), *index_name,
                           {kRowsPerStep, before_reshard_, may_go_on, lease});
  if (IsChangedElsewhere(done.status())) {
    DYNOLITH_RETURN_IF_ERROR(catalog_->CatchUp());
    return false;
  }
  // The index or the table may have been deleted in the middle of the step, which then fails.
  if (!done.ok() && is_over()) return true;
  return done;
}

}  // namespace dynolith
