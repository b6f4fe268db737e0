// What sleeps where semaphores do not wait by the steady clock: nothing of this machine's own
// library uses it.
#include "engine/process/futex_sleeper.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace dynolith {
namespace {

using std::chrono::steady_clock;

TEST(FutexSleeper, AWakeBeforeTheSleepIsKeptOnce) {
  FutexSleeper sleeper;
  sleeper.Wake();
  sleeper.Wake();
  sleeper.Sleep();
  EXPECT_FALSE(sleeper.SleepUntil(steady_clock::now() + std::chrono::milliseconds(5)));
}

TEST(FutexSleeper, SleepsUntilTheEndIfNobodyWakesIt) {
  FutexSleeper sleeper;
  const auto end = steady_clock::now() + std::chrono::milliseconds(20);
  EXPECT_FALSE(sleeper.SleepUntil(end));
  EXPECT_GE(steady_clock::now(), end);
  // What ended without a wake is no wake for the next one.
  EXPECT_FALSE(sleeper.SleepUntil(steady_clock::now() - std::chrono::seconds(1)));
}

// Each wake wakes one sleep, and what was written before it is read after it.
TEST(FutexSleeper, TwoThreadsTakeTurns) {
  constexpr int kTurns = 20'000;
  FutexSleeper ping;
  FutexSleeper pong;
  int written = 0;
  std::thread other([&] {
    for (int turn = 1; turn <= kTurns; ++turn) {
      if (turn % 2 == 0) {
        ping.Sleep();
      } else {
        EXPECT_TRUE(ping.SleepUntil(steady_clock::now() + std::chrono::minutes(5)));
      }
      EXPECT_EQ(written, turn);
      written = -turn;
      pong.Wake();
    }
  });
  for (int turn = 1; turn <= kTurns; ++turn) {
    written = turn;
    ping.Wake();
    pong.Sleep();
    EXPECT_EQ(written, -turn);
  }
  other.join();
}

}  // namespace
}  // namespace dynolith
