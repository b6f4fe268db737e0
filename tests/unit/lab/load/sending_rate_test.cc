// The sending rate of adaptive clients against a service that answers so many attempts a second:
// none is limited before the first throttle, then most of them are served.
#include "tools/lab/load/sending_rate.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace dynolith::lab {
namespace {

TEST(SendingRateTest, IsNotLimitedWithoutThrottles) {
  SendingRate rate;
  for (Micros now = 0; now < 10 * kSecond; now += 100) {
    EXPECT_EQ(rate.WaitToSend(now), 0);
    rate.Answered(false, now);
  }
}

TEST(SendingRateTest, ThrottleTakesThreeTenths) {
  SendingRate rate;
  // 100 a second, measured over half seconds, of which the last one weighs 0.8.
  for (Micros now = 0; now < 5 * kSecond; now += kSecond / 100) rate.Answered(false, now);
  rate.Answered(true, 5 * kSecond - 1);
  EXPECT_NEAR(rate.rate(), 70, 1);
  // The next one has to wait for a token, one behind it for two.
  EXPECT_NEAR(static_cast<double>(rate.WaitToSend(5 * kSecond - 1)), 1e6 / 70, 500);
  EXPECT_NEAR(static_cast<double>(rate.WaitToSend(5 * kSecond - 1)), 2e6 / 70, 1'000);
}

// 1,000 a second want to be sent and 200 are served: what is sent comes near to what is served.
TEST(SendingRateTest, FollowsTheService) {
  SendingRate rate;
  double tokens = 200;
  int served = 0;
  int throttled = 0;
  Micros filled = 0;
  for (Micros now = 0; now < 60 * kSecond;) {
    tokens = std::min(200.0, tokens + static_cast<double>(now - filled) * 200e-6);
    filled = now;
    const bool is_throttled = tokens < 1;
    if (!is_throttled) tokens -= 1;
    if (now >= 20 * kSecond) ++(is_throttled ? throttled : served);
    rate.Answered(is_throttled, now);
    now += std::max<Micros>(kSecond / 1'000, rate.WaitToSend(now));
  }
  EXPECT_GT(served, 40 * 200 * 0.8);
  EXPECT_LT(throttled, served / 5);
}

}  // namespace
}  // namespace dynolith::lab
