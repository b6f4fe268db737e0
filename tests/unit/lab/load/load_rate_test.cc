// How much is asked for when.
#include "tools/lab/load/load_rate.h"

#include <gtest/gtest.h>

namespace dynolith::lab {
namespace {

TEST(RateAt, Shapes) {
  EXPECT_EQ(RateAt({.high = 5}, kMinute), 5);
  const Load ramp = {.shape = Load::Shape::kRamp, .low = 10, .high = 20, .period = 10 * kSecond};
  EXPECT_EQ(RateAt(ramp, 0), 10);
  EXPECT_EQ(RateAt(ramp, 5 * kSecond), 15);
  EXPECT_EQ(RateAt(ramp, kMinute), 20);
  const Load steps = {.shape = Load::Shape::kSteps, .steps = {{kSecond, 3}, {kMinute, 7}}};
  EXPECT_EQ(RateAt(steps, 0), 0);
  EXPECT_EQ(RateAt(steps, kSecond), 3);
  EXPECT_EQ(RateAt(steps, 2 * kMinute), 7);
  const Load spikes = {.shape = Load::Shape::kSpikes,
                       .low = 1,
                       .high = 9,
                       .period = kMinute,
                       .lasting = 5 * kSecond};
  EXPECT_EQ(RateAt(spikes, 0), 1);
  EXPECT_EQ(RateAt(spikes, kMinute), 9);
  EXPECT_EQ(RateAt(spikes, kMinute + 5 * kSecond), 1);
  const Load wave = {.shape = Load::Shape::kWave, .low = 2, .high = 8, .period = kMinute};
  EXPECT_EQ(RateAt(wave, 0), 2);
  EXPECT_NEAR(RateAt(wave, kMinute / 4), 5, 1e-9);
  EXPECT_EQ(RateAt(wave, kMinute / 2), 8);
}

int64_t CountIn(Arrivals* arrivals, Micros begin, int seconds) {
  int64_t count = 0;
  Micros last = begin;
  for (Micros second = begin; second < begin + seconds * kSecond; second += kSecond) {
    arrivals->BeginSecond(second);
    while (arrivals->next() != kNever) {
      EXPECT_GE(arrivals->next(), last);
      EXPECT_LT(arrivals->next(), second + kSecond);
      last = arrivals->next();
      arrivals->Take();
      ++count;
    }
  }
  return count;
}

TEST(Arrivals, AreAsManyAsTheLoadSays) {
  const Load load = {.high = 1'000};
  Arrivals even(load, true, 1, 3);
  EXPECT_NEAR(static_cast<double>(CountIn(&even, 0, 100)), 100'000, 1);
  Arrivals random(load, false, 1, 3);
  EXPECT_NEAR(static_cast<double>(CountIn(&random, 0, 100)), 100'000, 4 * 316);
  Arrivals sampled(load, true, 10, 3);
  EXPECT_NEAR(static_cast<double>(CountIn(&sampled, 0, 100)), 10'000, 1);
}

TEST(Arrivals, LessThanOneASecond) {
  const Load load = {.high = 0.1};
  Arrivals even(load, true, 1, 3);
  EXPECT_NEAR(static_cast<double>(CountIn(&even, 0, 1'000)), 100, 1);
}

// Each request turns out to cost 4 units, and later 2: as many come as make 100 units a second.
TEST(Arrivals, ATargetInUnitsIsHeld) {
  const Load load = {.unit = Load::Unit::kReadUnits, .high = 100};
  Arrivals arrivals(load, true, 1, 3);
  Micros now = 0;
  const auto a_second = [&](double each) {
    int64_t count = 0;
    arrivals.BeginSecond(now);
    now += kSecond;
    for (; arrivals.next() != kNever; ++count) {
      arrivals.Take();
      arrivals.Consumed(each);
    }
    return static_cast<double>(count);
  };
  for (int i = 0; i < 10; ++i) a_second(4);
  EXPECT_NEAR(a_second(4), 25, 1);
  for (int i = 0; i < 10; ++i) a_second(2);
  EXPECT_NEAR(a_second(2), 50, 1);
  // What is throttled consumes nothing; it asks for more, but not without end.
  for (int i = 0; i < 20; ++i) a_second(0.01);
  EXPECT_NEAR(a_second(0.01), 1'000, 2);
}

}  // namespace
}  // namespace dynolith::lab
