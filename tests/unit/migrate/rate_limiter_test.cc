// Units a second on a clock that only sleeping moves: a migration must not take more than it was
// given, and less after throttling.
#include "tools/migrate/rate_limiter.h"

#include <gtest/gtest.h>

namespace dynolith::migrate {
namespace {

class RateLimiterTest : public ::testing::Test {
 protected:
  LimiterClock clock() {
    return {.now = [this] { return now_; }, .sleep = [this](absl::Duration wait) { now_ += wait; }};
  }
  double Seconds() const { return absl::ToDoubleSeconds(now_ - begun_); }
  static bool Never() { return false; }

  const absl::Time begun_ = absl::FromUnixSeconds(1'000'000);
  absl::Time now_ = begun_;
};

TEST_F(RateLimiterTest, TakesWhatItWasGiven) {
  RateLimiter limiter(100, clock());
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(limiter.Await(Never));
    limiter.Charge(25);
  }
  ASSERT_TRUE(limiter.Await(Never));
  EXPECT_NEAR(Seconds(), 50 * 25 / 100.0, 0.01);
  EXPECT_EQ(limiter.used(), 1250);
}

TEST_F(RateLimiterTest, WhatWasNotUsedIsNotSaved) {
  RateLimiter limiter(100, clock());
  now_ += absl::Hours(1);
  const double before = Seconds();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(limiter.Await(Never));
    limiter.Charge(100);
  }
  // The first call is at once, each other one a second later.
  EXPECT_NEAR(Seconds() - before, 2, 0.01);
}

TEST_F(RateLimiterTest, UnboundedWithoutARate) {
  RateLimiter limiter(0, clock());
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(limiter.Await(Never));
    limiter.Charge(1e6);
  }
  EXPECT_EQ(Seconds(), 0);
  EXPECT_EQ(limiter.rate(), std::nullopt);
}

TEST_F(RateLimiterTest, SlowsDownAndRecovers) {
  RateLimiter limiter(100, clock());
  limiter.SlowDown();
  EXPECT_NEAR(*limiter.rate(), 70, 1e-9);
  // Several threads that are throttled at once are one.
  limiter.SlowDown();
  EXPECT_NEAR(*limiter.rate(), 70, 1e-9);
  now_ += absl::Milliseconds(600);
  limiter.SlowDown();
  EXPECT_NEAR(*limiter.rate(), 49, 1e-9);
  for (int i = 0; i < 5; ++i) {
    now_ += absl::Seconds(1);
    limiter.Charge(0);
  }
  EXPECT_GT(*limiter.rate(), 70);
  for (int i = 0; i < 20; ++i) {
    now_ += absl::Seconds(1);
    limiter.Charge(0);
  }
  EXPECT_NEAR(*limiter.rate(), 100, 1e-9);
}

TEST_F(RateLimiterTest, ThrottlingBoundsWhatWasUnbounded) {
  RateLimiter limiter(0, clock());
  limiter.Charge(1000);
  now_ += absl::Seconds(1);
  limiter.SlowDown();
  EXPECT_NEAR(*limiter.rate(), 700, 1e-9);
  // Not below one unit a second, whatever happens.
  for (int i = 0; i < 50; ++i) {
    now_ += absl::Milliseconds(500);
    limiter.SlowDown();
  }
  EXPECT_GE(*limiter.rate(), 1);
}

TEST_F(RateLimiterTest, EndsItsWaitWhenTheRunIsOver) {
  RateLimiter limiter(1, clock());
  limiter.Charge(1e6);
  EXPECT_FALSE(limiter.Await([this] { return Seconds() > 1; }));
  EXPECT_LT(Seconds(), 2);
}

}  // namespace
}  // namespace dynolith::migrate
