#include "tools/lab/load/sending_rate.h"

#include <algorithm>
#include <cmath>

namespace dynolith::lab {
namespace {

constexpr double kLeft = 0.7;    // of the rate, after a throttle
constexpr double kGrowth = 0.4;  // of the cubic curve
constexpr double kSmooth = 0.8;  // weight of the last half second
constexpr double kHalfSecond = 0.5;
constexpr double kRateMin = 0.5;
constexpr double kTokensMin = 1;  // the depth of the bucket is a second, but never less
constexpr double kMeasuredTimes = 2;

double ToSeconds(Micros time) { return static_cast<double>(time) * 1e-6; }

}  // namespace

void SendingRate::Fill(double now) {
  level_ = std::min(std::max(rate_, kTokensMin), level_ + (now - filled_) * rate_);
  filled_ = now;
}

Micros SendingRate::WaitToSend(Micros now) {
  if (!is_on_) return 0;
  Fill(ToSeconds(now));
  level_ -= 1;
  return level_ >= 0 ? 0 : std::max<Micros>(1, std::llround(-level_ / rate_ * 1e6));
}

void SendingRate::Measure(double now) {
  sent_ += 1;
  const double half = std::floor(now / kHalfSecond) * kHalfSecond;
  if (half <= measured_at_) return;
  measured_ = sent_ / (half - measured_at_) * kSmooth + measured_ * (1 - kSmooth);
  sent_ = 0;
  measured_at_ = half;
}

void SendingRate::Answered(bool is_throttled, Micros at) {
  const double now = ToSeconds(at);
  Measure(now);
  double wanted = 0;
  if (is_throttled) {
    most_ = is_on_ ? std::min(measured_, rate_) : measured_;
    throttled_at_ = now;
    until_most_ = std::cbrt(most_ * (1 - kLeft) / kGrowth);
    wanted = most_ * kLeft;
    if (!is_on_) filled_ = now;
    is_on_ = true;
  } else {
    const double passed = now - throttled_at_ - until_most_;
    wanted = kGrowth * passed * passed * passed + most_;
  }
  if (!is_on_) return;
  Fill(now);
  rate_ = std::max(kRateMin, std::min(wanted, kMeasuredTimes * measured_));
  level_ = std::min(level_, std::max(rate_, kTokensMin));
}

}  // namespace dynolith::lab
