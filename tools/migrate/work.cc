#include "tools/migrate/work.h"

#include <algorithm>
#include <thread>
#include <vector>

#include "absl/time/time.h"
#include "engine/base/exceptions.h"
#include "engine/process/thread_start.h"
#include "tools/migrate/messages.h"

namespace dynolith::migrate {
namespace {

constexpr absl::Duration kBetweenShows = absl::Milliseconds(100);

// Numbers that threads take one after the other, and the first error.
class Numbers {
 public:
  Numbers(size_t count, const std::function<absl::Status(size_t number)>& run)
      : count_(count), run_(run) {}

  void Run() {
    while (true) {
      size_t number = 0;
      {
        absl::MutexLock lock(&mutex_);
        if (next_ == count_ || !status_.ok()) break;
        number = next_++;
      }
      const absl::Status status = CatchThrown([&] { return run_(number); });
      absl::MutexLock lock(&mutex_);
      status_.Update(status);
    }
    absl::MutexLock lock(&mutex_);
    --threads_;
    ended_.Signal();
  }
  void AddThread() {
    absl::MutexLock lock(&mutex_);
    ++threads_;
  }
  void RemoveThread() {
    absl::MutexLock lock(&mutex_);
    --threads_;
  }
  void Fail(const absl::Status& status) {
    absl::MutexLock lock(&mutex_);
    status_.Update(status);
  }
  // Whether all threads have ended, after waiting for a while.
  bool AwaitEnd(absl::Duration wait) {
    absl::MutexLock lock(&mutex_);
    if (threads_ > 0) ended_.WaitWithTimeout(&mutex_, wait);
    return threads_ == 0;
  }
  absl::Status status() {
    absl::MutexLock lock(&mutex_);
    return status_;
  }

 private:
  const size_t count_;
  const std::function<absl::Status(size_t number)>& run_;
  absl::Mutex mutex_;
  absl::CondVar ended_;
  size_t next_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t threads_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

Work::Work(const MigrationOptions& options, const MigrationListener& listener, Side* from, Side* to,
           ItemChanges* changes, StateFile* state)
    : options_(options),
      listener_(listener),
      from_(from),
      to_(to),
      changes_(changes),
      state_(state),
      reads_(options.read_rate),
      writes_(options.write_rate) {}

void Work::Say(const std::string& text) {
  absl::MutexLock lock(&mutex_);
  listener_.say(text);
}

void Work::Warn(const std::string& text) {
  absl::MutexLock lock(&mutex_);
  listener_.warn(text);
}

void Work::Refuse(const std::string& table, const std::string& text) {
  state_->Change([&](MigrationState* state) { ++state->tables[table].refused; });
  absl::MutexLock lock(&mutex_);
  listener_.fail(text);
}

void Work::ShowProgress() {
  progress_.items = done_;
  progress_.changes = changed_;
  progress_.read_units = reads_.used();
  progress_.write_units = writes_.used();
  absl::MutexLock lock(&mutex_);
  listener_.progress(progress_);
}

absl::Status Work::Together(size_t count, const std::function<absl::Status(size_t number)>& run) {
  Numbers numbers(count, run);
  std::vector<std::thread> threads;
  threads.resize(std::min(count, options_.segments));
  absl::Status none_started = absl::OkStatus();
  size_t started = 0;
  for (std::thread& thread : threads) {
    numbers.AddThread();
    none_started = StartThread([&numbers] { numbers.Run(); }, &thread);
    if (none_started.ok()) {
      ++started;
      continue;
    }
    numbers.RemoveThread();
    break;
  }
  if (started == 0 && count > 0) return none_started;
  while (!numbers.AwaitEnd(kBetweenShows)) {
    ShowProgress();
    numbers.Fail(state_->SaveNowAndThen());
  }
  for (std::thread& thread : threads) {
    if (thread.joinable()) thread.join();
  }
  if (numbers.status().ok() && is_over()) return absl::CancelledError(messages::MigrateStopped());
  return numbers.status();
}

}  // namespace dynolith::migrate
