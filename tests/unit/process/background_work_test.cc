// Work in the background: all of it is done, in time, by as few threads as there are, and where
// there is no room for a thread nobody waits for it forever.
#include "engine/process/background_work.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "engine/base/errors.h"
#include "engine/process/thread_start.h"
#include "tests/unit/sleeping_thread.h"

namespace dynolith {
namespace {

constexpr absl::Duration kShort = absl::Milliseconds(1);

TEST(BackgroundQueue, WhoWaitsDoesItWhereThereIsNoRoomForAThread) {
  std::vector<int> done;
  BackgroundQueue works;
  std::optional<NoRoomForThreads> no_room(std::in_place);
  works.Do([&] { done.push_back(1); });
  works.Do([&] { done.push_back(2); });
  EXPECT_EQ(done, std::vector<int>());
  works.Drain();
  EXPECT_EQ(done, (std::vector<int>{1, 2}));
  works.Do([&] { done.push_back(3); });
  no_room.reset();
  // What has waited is done with what comes.
  std::thread::id other;
  works.Do([&] { other = std::this_thread::get_id(); });
  works.Drain();
  EXPECT_EQ(done, (std::vector<int>{1, 2, 3}));
  EXPECT_NE(other, std::thread::id());
  EXPECT_NE(other, std::this_thread::get_id());
}

TEST(BackgroundQueue, ManyWaitWithoutAThread) {
  std::atomic<int> done = 0;
  BackgroundQueue works;
  std::vector<std::thread> threads;
  {
    const NoRoomForThreads no_room;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 100; ++i) {
          works.Do([&] { ++done; });
          works.Drain();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(done, 400);
}

TEST(BackgroundWork, AllAreCalledUntilTheyStop) {
  BackgroundThreads threads(1);
  std::atomic<int> first = 0;
  std::atomic<int> second = 0;
  const auto counts = [](std::atomic<int>* calls) {
    return [calls] {
      ++*calls;
      return kShort;
    };
  };
  BackgroundWork one(&threads, counts(&first));
  BackgroundWork other(&threads, counts(&second));
  ASSERT_TRUE(one.Begin(kShort).ok());
  ASSERT_TRUE(other.Begin(kShort).ok());
  while (first < 3 || second < 3) absl::SleepFor(kShort);
  one.Stop();
  const int then = first;
  const int after = second;
  while (second < after + 3) absl::SleepFor(kShort);
  EXPECT_EQ(first, then);
  one.Wake();
  one.Drain();
  EXPECT_EQ(first, then);
}

TEST(BackgroundWork, EachWakeIsFollowedByAPiece) {
  BackgroundThreads threads(2);
  std::atomic<int> asked = 0;
  std::atomic<int> seen = 0;
  BackgroundWork work(&threads, [&] {
    seen = asked.load();
    return absl::InfiniteDuration();
  });
  std::vector<std::thread> askers;
  for (int t = 0; t < 3; ++t) {
    askers.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        const int mine = ++asked;
        work.Wake();
        work.Drain();
        EXPECT_GE(seen, mine);
      }
    });
  }
  for (std::thread& asker : askers) asker.join();
}

TEST(BackgroundWork, StopWaitsForThePieceUnderWay) {
  BackgroundThreads threads(1);
  absl::Notification began;
  absl::Notification may_end;
  BackgroundWork work(&threads, [&] {
    began.Notify();
    may_end.WaitForNotification();
    return absl::InfiniteDuration();
  });
  work.Wake();
  began.WaitForNotification();
  testing::SleepingThread stopper([&] { work.Stop(); });
  EXPECT_TRUE(stopper.Sleeps()) << "did not wait";
  may_end.Notify();
}

TEST(BackgroundWork, OneThatHasTimeKeepsNoOtherFromComingAndGoing) {
  BackgroundThreads threads(1);
  // The longest first: who comes later is called before it.
  BackgroundWork hour(&threads, [] { return absl::Hours(1); });
  ASSERT_TRUE(hour.Begin(absl::Hours(1)).ok());
  absl::Notification called;
  BackgroundWork other(&threads, [&] {
    called.Notify();
    return absl::InfiniteDuration();
  });
  ASSERT_TRUE(other.Begin(kShort).ok());
  called.WaitForNotification();
}

// Also one whose time comes when the others are under way.
TEST(BackgroundWork, ALongOneKeepsNoOtherWaiting) {
  BackgroundThreads threads(2);
  absl::Notification called;
  BackgroundWork other(&threads, [&] {
    called.Notify();
    return absl::InfiniteDuration();
  });
  BackgroundWork waits(&threads, [&] {
    called.WaitForNotification();
    return absl::InfiniteDuration();
  });
  ASSERT_TRUE(other.Begin(20 * kShort).ok());
  waits.Wake();
  waits.Drain();
  EXPECT_TRUE(called.HasBeenNotified());
}

TEST(BackgroundWork, DrainWaitsForNoOther) {
  BackgroundThreads threads(1);
  absl::Notification began;
  absl::Notification may_end;
  BackgroundWork is_long(&threads, [&] {
    began.Notify();
    may_end.WaitForNotification();
    return absl::InfiniteDuration();
  });
  is_long.Wake();
  began.WaitForNotification();
  int pieces = 0;
  BackgroundWork work(
      &threads, [&] { return ++pieces < 3 ? absl::ZeroDuration() : absl::InfiniteDuration(); });
  work.Wake();
  work.Drain();
  EXPECT_EQ(pieces, 3);
  may_end.Notify();
}

TEST(BackgroundWork, ThreadsEndWithTheLastAndComeBack) {
  BackgroundThreads shared(2);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        std::atomic<bool> called = false;
        BackgroundWork work(&shared, [&] {
          called = true;
          return absl::Microseconds(1);
        });
        ASSERT_TRUE(work.Begin(absl::Microseconds(1)).ok());
        while (!called) std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(BackgroundWork, WhoHasNoRoomForTheFirstThreadIsTold) {
  BackgroundThreads threads(2);
  std::atomic<int> called = 0;
  const auto counts = [&] {
    ++called;
    return kShort;
  };
  {
    const NoRoomForThreads no_room;
    BackgroundWork refused(&threads, counts);
    EXPECT_EQ(KindOf(refused.Begin(kShort)), ErrorKind::kServiceUnavailable);
  }
  EXPECT_EQ(called, 0);
  BackgroundWork work(&threads, counts);
  ASSERT_TRUE(work.Begin().ok());
  // With one thread no other is needed.
  const NoRoomForThreads no_room;
  BackgroundWork other(&threads, counts);
  ASSERT_TRUE(other.Begin(kShort).ok());
  while (called < 3) absl::SleepFor(kShort);
}

TEST(ThreadStart, SaysWhatTheLimitIs) {
  const NoRoomForThreads no_room;
  std::thread thread;
  const absl::Status started = StartThread([] {}, &thread);
  EXPECT_EQ(KindOf(started), ErrorKind::kServiceUnavailable);
  EXPECT_EQ(MessageOf(started),
            "cannot start a thread (too many: ulimit -u, pids.max of the control group; or no "
            "memory: ulimit -v): "
            "Resource temporarily unavailable");
  EXPECT_FALSE(thread.joinable());
}

TEST(ThreadStart, WhatRunsBesideRunsAnyway) {
  const auto id = [] { return std::this_thread::get_id(); };
  EXPECT_NE(RunBeside(id).get(), id());
  const NoRoomForThreads no_room;
  EXPECT_EQ(RunBeside(id).get(), id());
}

}  // namespace
}  // namespace dynolith
