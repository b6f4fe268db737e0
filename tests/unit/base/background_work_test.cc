// Work in the background where there is no room for a thread: nobody waits for it forever.
#include "engine/base/background_work.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "engine/base/errors.h"

namespace dynolith {
namespace {

TEST(BackgroundWork, WhoWaitsDoesItWhereThereIsNoRoomForAThread) {
  std::vector<int> done;
  BackgroundWork works;
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

TEST(BackgroundWork, ManyWaitWithoutAThread) {
  std::atomic<int> done = 0;
  BackgroundWork works;
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
