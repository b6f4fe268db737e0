#include "tools/lab/load/load_rate.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tools/lab/load/key_generator.h"

namespace dynolith::lab {
namespace {

double Divide(Micros part, Micros whole) {
  return static_cast<double>(part) / static_cast<double>(whole);
}

// Feedback at most doubles the requests from one second to the next, and requests at most this
// multiple of the target, since throttled requests consume nothing, however many there are.
constexpr double kGrowthMax = 2;
constexpr double kChaseMax = 10;

}  // namespace

double RateAt(const Load& load, Micros at) {
  switch (load.shape) {
    case Load::Shape::kConstant:
      return load.high;
    case Load::Shape::kRamp:
      return load.low + (load.high - load.low) * std::min(1.0, Divide(at, load.period));
    case Load::Shape::kSteps: {
      const auto next =
          std::upper_bound(load.steps.begin(), load.steps.end(), at,
                           [](Micros time, const Load::Step& step) { return time < step.at; });
      return next == load.steps.begin() ? 0 : (next - 1)->rate;
    }
    case Load::Shape::kSpikes:
      // The first spike comes after a period.
      return at >= load.period && at % load.period < load.lasting ? load.high : load.low;
    case Load::Shape::kWave: {
      const double turn = 2 * std::numbers::pi * Divide(at % load.period, load.period);
      return load.low + (load.high - load.low) * (1 - std::cos(turn)) / 2;
    }
    case Load::Shape::kPolling:
    case Load::Shape::kOnce:
      return 0;
  }
  return 0;
}

Arrivals::Arrivals(const Load& load, bool evenly, int64_t sample, uint64_t seed)
    : load_(load), evenly_(evenly), sample_(static_cast<double>(sample)), random_(seed) {
  // Different even loads have different phases.
  work_ = evenly_ ? NextPart(&random_) : NextWork();
}

double Arrivals::NextWork() {
  if (evenly_) return 1;
  if (drawn_at_ == drawn_.size()) DrawWork();
  return drawn_[drawn_at_++];
}

// 1 - NextPart has no rounding error, so its logarithm is as exact as log1p, and takes half the
// time.
void Arrivals::DrawWork() {
  drawn_at_ = 0;
  for (double& work : drawn_) work = -std::log(1 - NextPart(&random_));
}

void Arrivals::BeginSecond(Micros now) {
  const double wanted = RateAt(load_, now) / sample_;
  if (load_.unit == Load::Unit::kRequests) {
    rate_ = wanted;
  } else {
    HoldTarget(wanted);
  }
  at_ = static_cast<double>(now);
  end_ = now + kSecond;
  each_micro_ = rate_ / static_cast<double>(kSecond);
  Schedule();
}

void Arrivals::HoldTarget(double target) {
  const double before = rate_;
  const double each = requests_ > 0 && units_ > 0 ? units_ / requests_ : 1;
  rate_ = std::min(target / each, target * kChaseMax);
  if (before > 0) rate_ = std::min(rate_, before * kGrowthMax + 1);
  units_ = 0;
  requests_ = 0;
}

void Arrivals::Schedule() {
  const double left = static_cast<double>(end_) - at_;
  if (work_ <= each_micro_ * left && each_micro_ > 0) {
    at_ += work_ / each_micro_;
    next_ = std::min(static_cast<Micros>(at_), end_ - 1);
    return;
  }
  work_ -= each_micro_ * left;
  next_ = kNever;
}

void Arrivals::Take() {
  ++requests_;
  work_ = NextWork();
  Schedule();
}

}  // namespace dynolith::lab
