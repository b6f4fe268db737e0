#include "api/request/call_gate.h"

#include <utility>

namespace dynolith {

bool CallGate::Close(absl::Duration patience) {
  absl::MutexLock lock(&mutex_);
  is_closed_ = true;
  const auto is_idle = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return calls_ == 0; };
  is_closed_ = mutex_.AwaitWithTimeout(absl::Condition(&is_idle), patience);
  return is_closed_;
}

void CallGate::Open(absl::Status failure) {
  absl::MutexLock lock(&mutex_);
  is_closed_ = false;
  failure_ = std::move(failure);
}

absl::Status CallGate::Enter() {
  const auto is_open = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !is_closed_; };
  absl::MutexLock lock(&mutex_, absl::Condition(&is_open));
  ++calls_;
  return failure_;
}

void CallGate::Leave() {
  absl::MutexLock lock(&mutex_);
  --calls_;
}

}  // namespace dynolith
