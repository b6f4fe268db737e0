#include "api/transfer/transfer_runner.h"

#include <utility>

#include "engine/base/exceptions.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

// Before an end is recorded again that found no room on the disk, or no memory.
constexpr absl::Duration kPauseWithoutRoom = absl::Seconds(1);
constexpr absl::Duration kPauseWithoutMemory = absl::Milliseconds(20);

}  // namespace

TransferRunner::~TransferRunner() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  work_.Stop();
}

absl::Status TransferRunner::Start() {
  if (may_start_) DYNOLITH_RETURN_IF_ERROR(may_start_());
  return work_.Begin();
}

TransferRunner::Prepared TransferRunner::Prepare(Job job) {
  Prepared prepared;
  prepared.push_back(std::move(job));
  return prepared;
}

void TransferRunner::Add(Prepared job) noexcept {
  absl::MutexLock lock(&mutex_);
  jobs_.splice(jobs_.end(), job);
  work_.Wake();
}

bool TransferRunner::IsIdle() const {
  absl::MutexLock lock(&mutex_);
  return jobs_.empty();
}

absl::Status TransferRunner::WaitUntilIdle(absl::Time now) {
  absl::MutexLock lock(&mutex_);
  const auto is_idle = [this, now]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return jobs_.empty() || !lack_of_room_.ok() || job_waits_until_ > now;
  };
  mutex_.Await(absl::Condition(&is_idle));
  if (!lack_of_room_.ok()) return lack_of_room_;
  return std::exchange(first_failure_, absl::OkStatus());
}

absl::Status TransferRunner::Record(absl::FunctionRef<absl::Status()> record,
                                    absl::FunctionRef<std::any()> end) {
  bool has_thrown = false;
  const auto record_or_show = [&] {
    absl::Status recorded = record();
    if (absl::IsResourceExhausted(recorded)) {
      if (std::any shown = end(); shown.has_value()) ShowEnd(std::move(shown));
    }
    has_thrown = false;
    return recorded;
  };
  for (;;) {
    has_thrown = true;
    absl::Status status = CatchThrown(record_or_show);
    absl::MutexLock lock(&mutex_);
    if (!absl::IsResourceExhausted(status)) {
      lack_of_room_ = absl::OkStatus();
      unrecorded_end_.reset();
      return status;
    }
    lack_of_room_ = status;
    mutex_.AwaitWithTimeout(absl::Condition(this, &TransferRunner::Stops),
                            has_thrown ? kPauseWithoutMemory : kPauseWithoutRoom);
    if (stopping_) return status;
  }
}

void TransferRunner::ShowEnd(std::any end) {
  absl::MutexLock lock(&mutex_);
  unrecorded_end_ = std::move(end);
}

void TransferRunner::JobWaitsUntil(absl::Time due) {
  absl::MutexLock lock(&mutex_);
  job_waits_until_ = due;
}

absl::Duration TransferRunner::DoJob() {
  Job* job = nullptr;
  {
    absl::MutexLock lock(&mutex_);
    if (stopping_ || jobs_.empty()) return absl::InfiniteDuration();
    job = &jobs_.front();  // new ones at the end leave it where it is
  }
  const absl::Status status = (*job)(stopping_);
  absl::MutexLock lock(&mutex_);
  first_failure_.Update(status);
  jobs_.pop_front();
  job_waits_until_ = absl::InfinitePast();
  return absl::ZeroDuration();
}

}  // namespace dynolith
