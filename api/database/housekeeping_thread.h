// One thread for the housekeeping of many databases: those in memory, of which a process may have
// thousands.
#ifndef DYNOLITH_API_DATABASE_HOUSEKEEPING_THREAD_H_
#define DYNOLITH_API_DATABASE_HOUSEKEEPING_THREAD_H_

#include <functional>
#include <map>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace dynolith {

// Thread-safe. There is a thread as long as there is somebody to be called.
class HousekeepingThread {
 public:
  // The process's.
  static HousekeepingThread& Shared();

  // Has `tick` called every `period`, one of all at a time. Returns a number for Remove. Errors:
  // StartThread's.
  absl::StatusOr<int> Add(absl::Duration period, std::function<void()> tick)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns when the tick is not under way and will not be called again. Not for a tick to call.
  void Remove(int number) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Entry {
    absl::Duration period;
    absl::Time next;
    std::function<void()> tick;
  };

  // `lives_` is the one in which the thread was started.
  void Run(int life) ABSL_LOCKS_EXCLUDED(mutex_);
  // The one that is due first; end: there is none.
  std::map<int, Entry>::iterator First() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  absl::Mutex mutex_;
  std::map<int, Entry> entries_ ABSL_GUARDED_BY(mutex_);
  int next_number_ ABSL_GUARDED_BY(mutex_) = 1;
  int running_ ABSL_GUARDED_BY(mutex_) = 0;  // 0: none
  int changes_ ABSL_GUARDED_BY(mutex_) = 0;  // of entries_
  int lives_ ABSL_GUARDED_BY(mutex_) = 0;    // how often the thread was told to end
  std::thread thread_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith

#endif  // DYNOLITH_API_DATABASE_HOUSEKEEPING_THREAD_H_
