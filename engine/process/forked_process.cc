#include "engine/process/forked_process.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

#include "engine/base/errors.h"
#include "engine/process/forked_spin_locks.h"
#include "engine/process/messages.h"

namespace dynolith {

namespace internal {
std::atomic<uint32_t> fork_generation = 0;
}  // namespace internal

namespace {

// A plain mutex: a child may unlock it after its parent locked it before the fork.
struct UnsharedDescriptors {
  std::mutex mutex;
  std::vector<int> open;
};

UnsharedDescriptors& Unshared() {
  // Never destroyed, because a database may outlive the program's static objects.
  static auto& unshared = *new UnsharedDescriptors;
  return unshared;
}

std::shared_mutex& ForkMutex() {
  static auto& mutex = *new std::shared_mutex;
  return mutex;
}

using SteadyClock = std::chrono::steady_clock;

constexpr SteadyClock::duration kBehindHold = std::chrono::milliseconds(20);
// When a NoForks ended last.
std::atomic<SteadyClock::rep> last_end = SteadyClock::duration::min().count();

// Waits until threads that were woken at that time have run.
void LetOthersRun() {
  const SteadyClock::time_point end{SteadyClock::duration(last_end.load())};
  const SteadyClock::time_point now = SteadyClock::now();
  if (now - kBehindHold < end) std::this_thread::sleep_until(end + kBehindHold);
}

// Takes the same mutex as NoForks, whose holder may open and close descriptors.
void PrepareFork() {
  ForkMutex().lock();
  LetOthersRun();
  Unshared().mutex.lock();
}

void GoOnInParent() {
  Unshared().mutex.unlock();
  ForkMutex().unlock();
}

void BeginChild() {
  internal::fork_generation.fetch_add(1, std::memory_order_relaxed);
  for (const int descriptor : Unshared().open) close(descriptor);
  Unshared().open.clear();
  Unshared().mutex.unlock();
  // This mutex stores its owner's thread number, and this thread now has another number.
  new (&ForkMutex()) std::shared_mutex;
  UnlockSpinLocksOfParent();
}

[[maybe_unused]] const int kFollowsForks = pthread_atfork(PrepareFork, GoOnInParent, BeginChild);

}  // namespace

absl::Status MakingProcess::Refused() const {
  return MakeError(ErrorKind::kAccessDenied, messages::DatabaseOfParent(id_, getpid()));
}

NoForks::NoForks() : lock_(ForkMutex()) {}

NoForks::~NoForks() { last_end = SteadyClock::now().time_since_epoch().count(); }

int OpenUnshared(const char* path, int flags, mode_t mode) {
  UnsharedDescriptors& unshared = Unshared();
  const std::lock_guard lock(unshared.mutex);
  unshared.open.reserve(unshared.open.size() + 1);
  const int descriptor = open(path, flags | O_CLOEXEC, mode);
  if (descriptor >= 0) unshared.open.push_back(descriptor);
  return descriptor;
}

void CloseUnshared(int descriptor) {
  UnsharedDescriptors& unshared = Unshared();
  const std::lock_guard lock(unshared.mutex);
  std::erase(unshared.open, descriptor);
  // A program that is just being started also has the descriptor, until it executes.
  flock(descriptor, LOCK_UN);
  struct flock all = {};
  all.l_type = F_UNLCK;
  all.l_whence = SEEK_SET;
  fcntl(descriptor, F_OFD_SETLK, &all);
  close(descriptor);
}

bool IsOpenTwiceUnshared(int descriptor) {
  struct stat sought = {};
  if (fstat(descriptor, &sought) != 0) return false;
  UnsharedDescriptors& unshared = Unshared();
  const std::lock_guard lock(unshared.mutex);
  return std::any_of(unshared.open.begin(), unshared.open.end(), [&](int other) {
    struct stat found = {};
    return other != descriptor && fstat(other, &found) == 0 && found.st_dev == sought.st_dev &&
           found.st_ino == sought.st_ino;
  });
}

}  // namespace dynolith
