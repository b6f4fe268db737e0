// Who waits how long on workers: a client that asks for much must not make the others wait.
#include "tools/server/http/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/barrier.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "tests/unit/sleeping_thread.h"

namespace dynolith::http {
namespace {

using ::dynolith::testing::SleepingThread;

// Works that take some time and write down that they have begun.
class WorkerPoolTest : public ::testing::Test {
 protected:
  void Start(WorkerPool::Options options) { pool_ = WorkerPool::Start(options).value(); }
  // Holds one thread until Open.
  void Block() {
    absl::Notification has_begun;
    pool_->Add({.caller = 99}, [this, &has_begun] {
      has_begun.Notify();
      gate_.WaitForNotification();
    });
    has_begun.WaitForNotification();
  }
  void Open() { gate_.Notify(); }
  // Returns when each thread has taken a work of its own, and so has done with all that went
  // before.
  void MeetOnAllThreads(int threads) {
    auto* all_are_here = new absl::Barrier(threads + 1);
    const auto meet = [all_are_here] {
      if (all_are_here->Block()) delete all_are_here;
    };
    for (int i = 0; i < threads; ++i) pool_->Add({.caller = 98}, meet);
    meet();
  }
  void Add(const WorkOwner& owner, const std::string& name,
           absl::Duration time = absl::ZeroDuration()) {
    AddWork(owner, name, [time] { absl::SleepFor(time); });
  }
  void AddWork(const WorkOwner& owner, const std::string& name, const std::function<void()>& work) {
    ++added_;
    pool_->Add(owner, [this, name, work] {
      {
        absl::MutexLock lock(&mutex_);
        begun_.push_back(name);
      }
      work();
      ++done_;
    });
  }
  // What has begun when so many have; less if they never do.
  std::vector<std::string> StartOrder(size_t count) {
    const auto have_begun = [&]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
      return begun_.size() >= count;
    };
    absl::MutexLock lock(&mutex_);
    mutex_.AwaitWithTimeout(absl::Condition(&have_begun), absl::Minutes(1));
    return begun_;
  }
  std::vector<std::string> Begun() {
    while (done_ < added_) absl::SleepFor(absl::Milliseconds(1));
    absl::MutexLock lock(&mutex_);
    return begun_;
  }

  absl::Notification gate_;
  std::atomic<int> added_{0};
  std::atomic<int> done_{0};
  absl::Mutex mutex_;
  std::vector<std::string> begun_;
  std::unique_ptr<WorkerPool> pool_;
};

using Names = std::vector<std::string>;

TEST_F(WorkerPoolTest, TheFirstIsServedFirst) {
  Start({.threads = 1, .takes_turns = false});
  Block();
  for (const char* name : {"a", "b", "c", "d"}) Add({.caller = 1}, name);
  Open();
  EXPECT_EQ(Begun(), (Names{"a", "b", "c", "d"}));
}

TEST_F(WorkerPoolTest, CallersTakeTurns) {
  Start({.threads = 1});
  Block();
  for (int i = 0; i < 4; ++i) Add({.caller = 1}, "one", absl::Milliseconds(5));
  for (int i = 0; i < 2; ++i) Add({.caller = 2}, "two", absl::Milliseconds(5));
  Open();
  const Names begun = Begun();
  // The second one is not behind the first one's four. The later order depends on how long each
  // was kept from a processor.
  EXPECT_EQ(Names(begun.begin(), begun.begin() + 2), (Names{"one", "two"}));
}

TEST_F(WorkerPoolTest, KindsOfOneCallerTakeTurns) {
  Start({.threads = 1});
  Block();
  for (uint64_t i = 0; i < 5; ++i) {
    Add({.caller = 1, .kind = 1, .connection = i}, "scan", absl::Milliseconds(5));
  }
  Add({.caller = 1, .kind = 2, .connection = 7}, "batch");
  Open();
  EXPECT_EQ(Begun(), (Names{"scan", "batch", "scan", "scan", "scan", "scan"}));
}

TEST_F(WorkerPoolTest, ConnectionsOfOneKindTakeTurns) {
  Start({.threads = 1});
  Block();
  for (int i = 0; i < 4; ++i) Add({.connection = 1}, "often", absl::Milliseconds(5));
  Add({.connection = 2}, "once");
  Open();
  EXPECT_EQ(Begun(), (Names{"often", "once", "often", "often", "often"}));
}

// Who has waited for others' work is not owed what went before.
TEST_F(WorkerPoolTest, NobodySavesUp) {
  Start({.threads = 1});
  for (int i = 0; i < 9; ++i) Add({.caller = 1}, "one", absl::Milliseconds(5));
  Begun();
  const absl::Time start = absl::Now();
  Add({.caller = 1}, "one", absl::Milliseconds(5));
  Begun();
  Block();  // then what the last one took is known
  // A newcomer begins where the last one began, so as much is that one ahead.
  const absl::Duration at_most = absl::Now() - start;
  for (int i = 0; i < 4; ++i) Add({.caller = 2}, "two", at_most);
  Add({.caller = 1}, "one");
  Open();
  const Names begun = Begun();
  // Not behind all four of the newcomer.
  EXPECT_NE(begun.back(), "one");
}

TEST_F(WorkerPoolTest, WhatTakesLongLeavesAThread) {
  Start({.threads = 2});
  Add({.kind = 1}, "long", absl::Milliseconds(150));
  Begun();
  MeetOnAllThreads(2);  // a thread notes what a work took before it takes the next one
  for (int i = 0; i < 4; ++i) {
    AddWork({.kind = 1}, "long", [this] { gate_.WaitForNotification(); });
  }
  EXPECT_EQ(StartOrder(2), (Names{"long", "long"}));
  Add({.kind = 2}, "short");
  EXPECT_EQ(StartOrder(3), (Names{"long", "long", "short"}));
  Open();
  EXPECT_EQ(Begun().size(), 6u);
}

TEST_F(WorkerPoolTest, ManyWhoHaveGoneAreForgotten) {
  Start({.threads = 2});
  // More than are kept, and not all at once: whoever waits is compared with all others that do.
  for (uint64_t i = 0; i < 20'000; ++i) {
    Add({.caller = i, .kind = i, .connection = i}, "");
    if (i % 2'000 == 0) Begun();
  }
  EXPECT_EQ(Begun().size(), 20'000u);
}

TEST_F(WorkerPoolTest, WhatHasNotBegunIsDropped) {
  Start({.threads = 1});
  Block();
  std::atomic<bool> has_run = false;
  pool_->Add({}, [&] { has_run = true; });
  SleepingThread stopper([this] { pool_->Stop(); });
  EXPECT_TRUE(stopper.Sleeps()) << "did not wait for what had begun";
  Open();
  stopper.Join();
  EXPECT_FALSE(has_run);
  pool_->Add({}, [&] { has_run = true; });
  EXPECT_FALSE(has_run);
}

}  // namespace
}  // namespace dynolith::http
