// Children of a process whose other threads begin, wait and end: nothing that a thread needs for it
// stays locked in them. Stores in such children: tests/unit/c_face/forks_test.cc.
#include "engine/process/forked_process.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace dynolith {
namespace {

constexpr unsigned kSecondsMax = 100;

// A thread's first wait is what makes it known to Abseil.
void WaitForAMoment() {
  absl::Mutex mutex;
  const absl::MutexLock lock(&mutex);
  bool never = false;
  mutex.AwaitWithTimeout(absl::Condition(&never), absl::Microseconds(1));
}

int AwaitExit(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(ForkedProcess, ThreadsOfAChildWait) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizers do not let children start threads";
#endif
  // As stores do: what Debian's Abseil watches locks with is locked all the time.
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  std::atomic<bool> stopping = false;
  std::vector<std::thread> busy(4);
  for (std::thread& thread : busy) {
    thread = std::thread([&] {
      while (!stopping) std::thread(WaitForAMoment).join();
    });
  }
  for (int i = 0; i < 4000; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(kSecondsMax);
      std::thread(WaitForAMoment).join();
      WaitForAMoment();
      _exit(0);
    }
    const int end = AwaitExit(child);
    EXPECT_EQ(end, 0) << i;
    if (end != 0) break;
  }
  stopping = true;
  for (std::thread& thread : busy) thread.join();
}

TEST(ForkedProcess, AThreadThatHasWaitedForks) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizers do not let children start threads";
#endif
  std::thread([] {
    WaitForAMoment();
    const pid_t child = fork();
    if (child == 0) {
      alarm(kSecondsMax);
      WaitForAMoment();
      std::thread(WaitForAMoment).join();
      _exit(0);
    }
    EXPECT_EQ(AwaitExit(child), 0);
    WaitForAMoment();
  }).join();
}

}  // namespace
}  // namespace dynolith
