#include "tools/migrate/rate_limiter.h"

#include <algorithm>
#include <utility>

namespace dynolith::migrate {
namespace {

constexpr double kRateMin = 1;
constexpr double kAfterThrottling = 0.7;
constexpr double kGrowth = 1.25;
constexpr absl::Duration kBetweenSlowings = absl::Milliseconds(500);
constexpr absl::Duration kLongestSleep = absl::Milliseconds(100);
constexpr absl::Duration kSecond = absl::Seconds(1);

}  // namespace

RateLimiter::RateLimiter(double units_a_second, LimiterClock clock)
    : rate_max_(units_a_second),
      clock_(std::move(clock)),
      rate_(units_a_second),
      advanced_(clock_.now()),
      second_(advanced_) {}

void RateLimiter::Advance() {
  const absl::Time now = clock_.now();
  if (now - second_ >= kSecond) {
    last_second_ = (used_ - used_before_) / absl::ToDoubleSeconds(now - second_);
    used_before_ = used_;
    second_ = now;
    if (rate_ > 0 && now - slowed_ >= kSecond) {
      rate_ *= kGrowth;
      if (rate_max_ > 0) rate_ = std::min(rate_, rate_max_);
    }
  }
  if (rate_ > 0) {
    // What was not used is not saved for later.
    balance_ = std::min(0.0, balance_ + rate_ * absl::ToDoubleSeconds(now - advanced_));
  } else {
    balance_ = 0;
  }
  advanced_ = now;
}

bool RateLimiter::Await(const std::function<bool()>& is_over) {
  while (!is_over()) {
    absl::Duration wait;
    {
      absl::MutexLock lock(&mutex_);
      Advance();
      if (balance_ >= 0) return true;
      wait = absl::Seconds(-balance_ / rate_);
    }
    clock_.sleep(std::min(wait, kLongestSleep));
  }
  return false;
}

void RateLimiter::Charge(double units) {
  absl::MutexLock lock(&mutex_);
  Advance();
  used_ += units;
  if (rate_ > 0) balance_ -= units;
}

void RateLimiter::SlowDown() {
  absl::MutexLock lock(&mutex_);
  Advance();
  if (advanced_ - slowed_ < kBetweenSlowings) return;
  slowed_ = advanced_;
  const double present = rate_ > 0 ? rate_ : std::max(last_second_, used_ - used_before_);
  rate_ = std::max(kRateMin, kAfterThrottling * present);
}

double RateLimiter::used() const {
  absl::MutexLock lock(&mutex_);
  return used_;
}

std::optional<double> RateLimiter::rate() const {
  absl::MutexLock lock(&mutex_);
  if (rate_ == 0) return std::nullopt;
  return rate_;
}

}  // namespace dynolith::migrate
