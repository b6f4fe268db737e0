#include "tools/lab/load/attempt_latency.h"

#include <cmath>
#include <numbers>

#include "tools/lab/load/key_generator.h"

namespace dynolith::lab {
namespace {

// 99 % of a normal distribution are at most this many standard deviations above its mean.
constexpr double kDeviationsOfP99 = 2.3263478740408408;

}  // namespace

AttemptLatency::AttemptLatency(const LatencyQuantiles& quantiles, uint64_t seed)
    : mean_(std::log(static_cast<double>(quantiles.p50))),
      deviation_((std::log(static_cast<double>(quantiles.p99)) - mean_) / kDeviationsOfP99),
      random_(seed) {}

// Box and Muller's normal distribution; only one of its two values is used.
Micros AttemptLatency::Draw() {
  const double radius = std::sqrt(-2 * std::log(1 - NextPart(&random_)));
  const double normal = radius * std::cos(2 * std::numbers::pi * NextPart(&random_));
  return std::llround(std::exp(mean_ + deviation_ * normal));
}

}  // namespace dynolith::lab
