// Processes that fork: a child has its parent's memory and none of its threads, so objects that
// need threads or files belong to the process that made them.
#ifndef DYNOLITH_ENGINE_PROCESS_FORKED_PROCESS_H_
#define DYNOLITH_ENGINE_PROCESS_FORKED_PROCESS_H_

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <shared_mutex>

#include "absl/status/status.h"

namespace dynolith {

namespace internal {
extern std::atomic<uint32_t> fork_generation;
}  // namespace internal

// The number of forks between this process and the one that loaded this code: different in a parent
// and its child. 0: none. One load.
inline uint32_t ForkGeneration() {
  return internal::fork_generation.load(std::memory_order_relaxed);
}

// The process in which this was made.
class MakingProcess {
 public:
  // Whether the caller is a child of that process.
  bool IsForked() const { return generation_ != ForkGeneration(); }
  // Errors: AccessDeniedException for a child of that process, which clients do not retry.
  absl::Status CheckNotForked() const { return IsForked() ? Refused() : absl::OkStatus(); }

 private:
  absl::Status Refused() const;

  uint32_t generation_ = ForkGeneration();
  pid_t id_ = getpid();
};

// An object that each process has once, made on demand. A child leaves its parent's alone: a thread
// that the child does not have may have locked it there.
template <typename T>
class OnePerProcess {
 public:
  constexpr OnePerProcess() = default;
  OnePerProcess(const OnePerProcess&) = delete;
  OnePerProcess& operator=(const OnePerProcess&) = delete;

  // Never destroyed. Thread-safe.
  T& Get() {
    for (;;) {
      Made* made = made_.load(std::memory_order_acquire);
      if (made != nullptr && !made->process.IsForked()) return made->object;
      auto fresh = std::make_unique<Made>();
      fresh->of_parent = made;
      if (made_.compare_exchange_strong(made, fresh.get(), std::memory_order_acq_rel)) {
        return fresh.release()->object;
      }
    }
  }

 private:
  struct Made {
    MakingProcess process;
    T object;
    Made* of_parent = nullptr;  // so that leak checkers know it
  };
  std::atomic<Made*> made_ = nullptr;
};

// Held while something takes process-wide locks of other libraries, which nothing resets in a
// child: a fork waits for its end, so that none of them stays locked. It waits for 20 ms more, as a
// thread of those libraries that was woken may take them afterwards.
class [[nodiscard]] NoForks {
 public:
  NoForks();
  NoForks(const NoForks&) = delete;
  NoForks& operator=(const NoForks&) = delete;
  ~NoForks();

 private:
  std::shared_lock<std::shared_mutex> lock_;
};

// Opens a file, as open(2), with a descriptor that no child of this process has: a child would go
// on holding the file's locks after the parent has released it. -1 and errno: it could not be
// opened.
int OpenUnshared(const char* path, int flags, mode_t mode = 0);
// Releases its locks first. Requires: from OpenUnshared in this very process.
void CloseUnshared(int descriptor);
// Whether this process has opened the same file by another call of OpenUnshared, too.
bool IsOpenTwiceUnshared(int descriptor);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PROCESS_FORKED_PROCESS_H_
