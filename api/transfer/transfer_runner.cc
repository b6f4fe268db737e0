#include "api/transfer/transfer_runner.h"

#include <utility>

namespace dynolith {

TransferRunner::~TransferRunner() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

void TransferRunner::Add(Job job) {
  absl::MutexLock lock(&mutex_);
  jobs_.push_back(std::move(job));
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
}

bool TransferRunner::IsIdle() const {
  absl::MutexLock lock(&mutex_);
  return jobs_.empty();
}

absl::Status TransferRunner::WaitUntilIdle(absl::Time now) {
  absl::MutexLock lock(&mutex_);
  const auto is_idle = [this, now]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return jobs_.empty() || job_waits_until_ > now;
  };
  mutex_.Await(absl::Condition(&is_idle));
  return std::exchange(first_failure_, absl::OkStatus());
}

void TransferRunner::JobWaitsUntil(absl::Time due) {
  absl::MutexLock lock(&mutex_);
  job_waits_until_ = due;
}

void TransferRunner::Run() {
  for (;;) {
    Job* job = nullptr;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(this, &TransferRunner::HasWorkOrStops));
      if (stopping_) return;
      job = &jobs_.front();  // new ones at the end leave it where it is
    }
    const absl::Status status = (*job)(stopping_);
    absl::MutexLock lock(&mutex_);
    first_failure_.Update(status);
    jobs_.pop_front();
    job_waits_until_ = absl::InfinitePast();
  }
}

}  // namespace dynolith
