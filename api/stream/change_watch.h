// The thread behind a ChangeWatch.
#ifndef DYNOLITH_API_STREAM_CHANGE_WATCH_H_
#define DYNOLITH_API_STREAM_CHANGE_WATCH_H_

#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "dynolith/changes.h"
#include "engine/process/forked_process.h"

namespace dynolith {

class ThreadChangeWatch final : public ChangeWatch {
 public:
  // Errors: ServiceUnavailable if there is no room for a thread.
  static absl::StatusOr<std::unique_ptr<ChangeWatch>> Start(
      std::unique_ptr<ChangeReader> reader, std::function<void(const PlacedChange&)> function);

  // In a child of the process that made it, it is left as it is: the thread is the parent's.
  static void operator delete(ThreadChangeWatch* watch, std::destroying_delete_t) {
    if (watch->process_.IsForked()) return;
    watch->~ThreadChangeWatch();
    ::operator delete(watch);
  }
  ~ThreadChangeWatch() override;

  absl::Status status() const override ABSL_LOCKS_EXCLUDED(mutex_);
  std::string place() const override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  ThreadChangeWatch(std::unique_ptr<ChangeReader> reader,
                    std::function<void(const PlacedChange&)> function);

  void Run() ABSL_LOCKS_EXCLUDED(mutex_);
  // The next changes; none: not yet.
  absl::StatusOr<std::vector<PlacedChange>> Next();

  const MakingProcess process_{};
  const std::unique_ptr<ChangeReader> reader_;
  const std::function<void(const PlacedChange&)> function_;
  std::atomic<bool> stops_{false};
  mutable absl::Mutex mutex_;
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
  std::string place_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_STREAM_CHANGE_WATCH_H_
