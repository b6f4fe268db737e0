// A clock that is moved by hand: where it stands, and whom a move waits for.
#include "engine/base/clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace dynolith {
namespace {

TEST(ManualClockTest, StandsUntilMoved) {
  ManualClock clock(absl::FromUnixSeconds(100));
  EXPECT_EQ(clock.Now(), absl::FromUnixSeconds(100));
  clock.Advance(absl::Milliseconds(1500));
  EXPECT_EQ(clock.Now(), absl::FromUnixMillis(101'500));
  clock.Set(absl::FromUnixSeconds(7));
  EXPECT_EQ(clock.Now(), absl::FromUnixSeconds(7));
  EXPECT_EQ(clock.AsManual(), &clock);
}

TEST(ManualClockTest, TooFarIsAsFarAsPossible) {
  ManualClock clock(absl::UnixEpoch());
  clock.Advance(absl::Hours(24) * 365 * 1000);
  const absl::Time end = clock.Now();
  EXPECT_GT(end, absl::FromUnixSeconds(9'000'000'000));
  clock.Advance(absl::Hours(1));
  EXPECT_EQ(clock.Now(), end) << "and does not wrap";
}

TEST(ManualClockTest, FollowersSeeEveryMoveBeforeItReturns) {
  ManualClock clock(absl::UnixEpoch());
  std::vector<absl::Time> seen;
  const int number = clock.Follow([&] { seen.push_back(clock.Now()); });
  const int other = clock.Follow([] {});
  clock.Advance(absl::Seconds(1));
  clock.Set(absl::FromUnixSeconds(5));
  EXPECT_EQ(seen, (std::vector<absl::Time>{absl::FromUnixSeconds(1), absl::FromUnixSeconds(5)}));
  clock.Unfollow(number);
  clock.Advance(absl::Seconds(1));
  EXPECT_EQ(seen.size(), 2u);
  clock.Unfollow(other);
}

TEST(ManualClockTest, MovesOfManyThreadsAddUp) {
  ManualClock clock(absl::UnixEpoch());
  int64_t calls = 0;  // not atomic: one move at a time
  clock.Follow([&] { ++calls; });
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 1000; ++j) clock.Advance(absl::Milliseconds(1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(clock.Now(), absl::FromUnixSeconds(4));
  EXPECT_EQ(calls, 4000);
}

TEST(SystemClockTest, GoesByItself) {
  const absl::Time before = SystemClock().Now();
  EXPECT_GE(SystemClock().Now(), before);
  EXPECT_GT(before, absl::FromUnixSeconds(1'700'000'000));
}

TEST(SystemClockTest, RecentlyIsSomeMillisecondsAgo) {
  // A machine that stands still for a moment may be late with what is recent.
  absl::Duration shortest = absl::InfiniteDuration();
  for (int i = 0; i < 100; ++i) {
    const absl::Time before = SystemClock().Now();
    const absl::Time recent = SystemClock().RecentNow();
    EXPECT_LE(recent, SystemClock().Now());
    shortest = std::min(shortest, before - recent);
  }
  EXPECT_LT(shortest, absl::Milliseconds(20));
}

}  // namespace
}  // namespace dynolith
