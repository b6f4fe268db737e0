#include "tools/lab/measure/connection_need.h"

#include <algorithm>
#include <cmath>

namespace dynolith::lab {
namespace {

// The part of the calls that may be late.
constexpr double kLatePartMax = 0.01;
constexpr uint64_t kEnoughCalls = 100;
// If calls take longer than this multiple of their least mean, the target is at its limit, and more
// connections would only wait.
constexpr double kSlowerMost = 2;
// Calls that are due within a shorter time can wait as long.
constexpr double kSpanSecondsLeast = 1e-3;
constexpr double kDeviations = 3;

double ToSeconds(int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

}  // namespace

double ConnectionNeed::CallSeconds(const OpenLoop::State& state) {
  answered_ += state.answered;
  seconds_ += ToSeconds(state.in_call);
  if (answered_ == 0 && mean_ == 0) return silent_ += ToSeconds(state.elapsed);
  const double mean = answered_ > 0 ? seconds_ / static_cast<double>(answered_) : mean_;
  if (answered_ >= kEnoughCalls) {
    mean_ = mean;
    least_ = least_ == 0 ? mean : std::min(least_, mean);
    answered_ = 0;
    seconds_ = 0;
  }
  return least_ == 0 ? mean : std::min(mean, least_ * kSlowerMost);
}

// The number of running calls, which arrive at random in groups of up to `together`, has a compound
// Poisson distribution, whatever the distribution of their durations.
size_t ConnectionNeed::Missing(const OpenLoop::State& state, size_t connections) {
  const double call_seconds = CallSeconds(state);
  const auto taken = static_cast<double>(state.taken);
  if (static_cast<double>(state.late) <= kLatePartMax * taken) return 0;
  const double rate = taken / std::max(kSpanSecondsLeast, ToSeconds(state.span));
  const double under_way = rate * call_seconds;
  const auto together = static_cast<double>(state.together);
  const double needed =
      std::ceil(under_way + kDeviations * std::sqrt(under_way * together) + together);
  const auto have = static_cast<double>(connections);
  if (needed <= have) return 0;
  return static_cast<size_t>(std::min(needed - have, std::max(1.0, std::floor(have / 2))));
}

}  // namespace dynolith::lab
