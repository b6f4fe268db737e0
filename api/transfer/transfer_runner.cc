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

absl::Status TransferRunner::WaitUntilIdle() {
  absl::MutexLock lock(&mutex_);
  mutex_.Await(absl::Condition(this, &TransferRunner::IsIdle));
  return std::exchange(first_failure_, absl::OkStatus());
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
  }
}

}  // namespace dynolith
