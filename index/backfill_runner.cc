#include "index/backfill_runner.h"

#include <memory>
#include <optional>
#include <utility>

#include "index/backfill.h"

namespace dynolith {
namespace {

// Long enough that the commit of a step is spread over many rows, short enough that writers, which
// wait for the commit, and Stop do not wait long.
constexpr size_t kRowsPerStep = 256;

// The name of the index if it is still to be filled.
std::optional<std::string> UnfinishedIndex(const TableMeta& meta, StorageId index_id) {
  if (meta.status == TableStatus::kDeleting) return std::nullopt;
  for (size_t i = 0; i < meta.schema.indexes.size(); ++i) {
    if (meta.schema.indexes[i].id == index_id &&
        meta.index_states[i].status == IndexStatus::kCreating) {
      return meta.schema.indexes[i].name;
    }
  }
  return std::nullopt;
}

}  // namespace

BackfillRunner::BackfillRunner(Store* store, RowLocks* locks, Catalog* catalog)
    : store_(store), locks_(locks), catalog_(catalog) {
  AddUnfinished();
  thread_ = std::thread([this] { Run(); });
}

BackfillRunner::~BackfillRunner() { Stop(); }

void BackfillRunner::AddUnfinished() {
  absl::MutexLock lock(&mutex_);
  for (const std::shared_ptr<Table>& table : catalog_->All()) {
    const std::shared_ptr<const TableMeta> meta = table->meta();
    for (const IndexSchema& index : meta->schema.indexes) {
      if (UnfinishedIndex(*meta, index.id)) jobs_.push_back({meta->schema.name, index.id});
    }
  }
}

void BackfillRunner::Stop() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

void BackfillRunner::Add(const Table& table, StorageId index_id) {
  absl::MutexLock lock(&mutex_);
  jobs_.push_back({table.meta()->schema.name, index_id});
}

absl::Status BackfillRunner::WaitUntilIdle() {
  absl::MutexLock lock(&mutex_);
  mutex_.Await(absl::Condition(this, &BackfillRunner::IsIdleOrStops));
  return std::exchange(first_failure_, absl::OkStatus());
}

void BackfillRunner::Run() {
  for (;;) {
    Job job;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(this, &BackfillRunner::HasWorkOrStops));
      if (stopping_) return;
      job = jobs_.front();
    }
    const absl::StatusOr<bool> done = Step(job);
    absl::MutexLock lock(&mutex_);
    first_failure_.Update(done.status());
    if (!done.ok() || *done) jobs_.pop_front();
  }
}

absl::StatusOr<bool> BackfillRunner::Step(const Job& job) {
  const std::shared_ptr<Table> table = catalog_->Find(job.table_name);
  if (table == nullptr) return true;
  const auto index_name = UnfinishedIndex(*table->meta(), job.index_id);
  if (!index_name) return true;
  auto done = BackfillStep(store_, locks_, catalog_, table.get(), *index_name, kRowsPerStep);
  // The index or the table may have been deleted in the middle of the step, which then fails.
  if (!done.ok() && !UnfinishedIndex(*table->meta(), job.index_id)) return true;
  return done;
}

}  // namespace dynolith
