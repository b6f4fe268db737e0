// A rate that drifts would show only in a bulk put that runs for long.
#include "api/transfer/write_rate.h"

#include <gtest/gtest.h>

namespace dynolith {
namespace {

constexpr absl::Time kRateStart = absl::FromUnixSeconds(1'700'000'000);

TEST(WriteRate, WithoutOneEverythingIsDue) {
  WriteRate rate(std::nullopt);
  rate.Begin(kRateStart);
  rate.Spend(1e9);
  EXPECT_TRUE(rate.IsDue(kRateStart));
}

TEST(WriteRate, WhatWasWrittenTakesItsTime) {
  WriteRate rate(1024);
  EXPECT_TRUE(rate.IsDue(kRateStart));
  rate.Begin(kRateStart);
  rate.Spend(512);
  EXPECT_FALSE(rate.IsDue(kRateStart + absl::Milliseconds(499)));
  EXPECT_TRUE(rate.IsDue(kRateStart + absl::Milliseconds(500)));
}

TEST(WriteRate, WhatWasLeftUnusedIsMadeUpFor) {
  WriteRate rate(1024);
  rate.Begin(kRateStart);
  rate.Spend(1024);
  const absl::Time later = kRateStart + absl::Seconds(10);
  for (int i = 1; i < 10; ++i) {
    EXPECT_TRUE(rate.IsDue(later));
    rate.Begin(later);
    rate.Spend(1024);
  }
  EXPECT_TRUE(rate.IsDue(later));
  rate.Spend(1024);
  EXPECT_FALSE(rate.IsDue(later));
}

TEST(WriteRate, WritesOneBehindTheOtherAddUp) {
  WriteRate rate(1024);
  absl::Time now = kRateStart;
  for (int i = 0; i < 1000; ++i) {
    rate.Begin(now);
    rate.Spend(256);
    EXPECT_FALSE(rate.IsDue(now));
    now += absl::Milliseconds(250);
    EXPECT_TRUE(rate.IsDue(now)) << i;
  }
}

TEST(WriteRate, TheShareIsThatOfTheTimeSinceTheFirstBeginning) {
  WriteRate rate(1024);
  rate.Begin(kRateStart);
  rate.Spend(512);
  rate.Begin(kRateStart + absl::Seconds(1));
  rate.Spend(512);
  EXPECT_FALSE(rate.IsDue(kRateStart + absl::Milliseconds(999)));
  EXPECT_TRUE(rate.IsDue(kRateStart + absl::Seconds(1)));
}

}  // namespace
}  // namespace dynolith
