// One thread that keeps house for many, comes when it is needed and goes with the last of them.
#include "api/database/housekeeping_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "dynolith/database.h"
#include "engine/base/errors.h"
#include "engine/base/thread_start.h"
#include "tests/unit/sleeping_thread.h"

namespace dynolith {
namespace {

constexpr absl::Duration kShort = absl::Milliseconds(1);

TEST(HousekeepingThread, CallsAllUntilTheyAreRemoved) {
  HousekeepingThread shared;
  std::atomic<int> first = 0;
  std::atomic<int> second = 0;
  const int one = shared.Add(kShort, [&] { ++first; }).value();
  const int other = shared.Add(kShort, [&] { ++second; }).value();
  while (first < 3 || second < 3) absl::SleepFor(kShort);
  shared.Remove(one);
  const int then = first;
  const int after = second;
  while (second < after + 3) absl::SleepFor(kShort);
  EXPECT_EQ(first, then);
  shared.Remove(other);
}

TEST(HousekeepingThread, RemoveWaitsForTheOneUnderWay) {
  HousekeepingThread shared;
  absl::Notification began;
  absl::Notification may_end;
  const absl::StatusOr<int> number = shared.Add(kShort, [&] {
    if (began.HasBeenNotified()) return;
    began.Notify();
    may_end.WaitForNotification();
  });
  began.WaitForNotification();
  testing::SleepingThread remover([&] { shared.Remove(*number); });
  EXPECT_TRUE(remover.Sleeps()) << "did not wait";
  may_end.Notify();
}

TEST(HousekeepingThread, WhatIsLongDoesNotKeepOthersFromComingAndGoing) {
  HousekeepingThread shared;
  // The longest first: who comes later is called before it.
  const int hour = shared.Add(absl::Hours(1), [] {}).value();
  absl::Notification called;
  const absl::StatusOr<int> number = shared.Add(kShort, [&] {
    if (!called.HasBeenNotified()) called.Notify();
  });
  called.WaitForNotification();
  shared.Remove(*number);
  shared.Remove(hour);
}

TEST(HousekeepingThread, ComesBack) {
  HousekeepingThread shared;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        std::atomic<bool> called = false;
        const int number = shared.Add(absl::Microseconds(1), [&] { called = true; }).value();
        while (!called) std::this_thread::yield();
        shared.Remove(number);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(HousekeepingThread, WhoHasNoRoomForItIsNotCalled) {
  HousekeepingThread shared;
  std::atomic<int> refused = 0;
  {
    const NoRoomForThreads no_room;
    EXPECT_EQ(KindOf(shared.Add(kShort, [&] { ++refused; }).status()),
              ErrorKind::kServiceUnavailable);
    EXPECT_EQ(KindOf(Database::Open({.in_memory = true}).status()), ErrorKind::kServiceUnavailable);
  }
  std::atomic<int> called = 0;
  const int number = shared.Add(kShort, [&] { ++called; }).value();
  while (called < 3) absl::SleepFor(kShort);
  EXPECT_EQ(refused, 0);
  shared.Remove(number);
}

TEST(HousekeepingThread, SweepsDatabasesInMemory) {
  std::vector<std::unique_ptr<Database>> databases;
  for (int i = 0; i < 3; ++i) {
    databases.push_back(
        *Database::Open({.in_memory = true, .ttl_sweep_period = absl::Milliseconds(5)}));
    Database* const database = databases.back().get();
    ASSERT_TRUE(database
                    ->CreateTable({.table_name = "music",
                                   .attribute_definitions = {{{"pk"}}},
                                   .key_schema = {{{"pk"}}},
                                   .billing_mode = BillingMode::kPayPerRequest})
                    .ok());
    ASSERT_TRUE(
        database->UpdateTimeToLive({"music", {.enabled = true, .attribute_name = "until"}}).ok());
    ASSERT_TRUE(
        database
            ->PutItem({.table_name = "music",
                       .item = {{"pk", Value::S("a")},
                                {"until", Value::N(absl::ToUnixSeconds(absl::Now()) - 60)}}})
            .ok());
  }
  for (const auto& database : databases) {
    while (database->Scan({.table_name = "music"})->count > 0) absl::SleepFor(kShort);
    EXPECT_TRUE(database->TakeBackgroundFailure().ok());
  }
}

}  // namespace
}  // namespace dynolith
