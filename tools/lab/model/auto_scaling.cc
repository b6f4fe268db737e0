#include "tools/lab/model/auto_scaling.h"

#include <algorithm>
#include <cmath>

#include "engine/base/limits.h"

namespace dynolith::lab {
namespace {

constexpr AccessKind kScaledKinds[] = {AccessKind::kRead, AccessKind::kWrite};
constexpr int kHighPoints = 2;
constexpr size_t kLowPoints = 15;
// A part of the units, below the target; for low targets at most half of the target.
constexpr double kLowMargin = 0.2;
// The error of a division of whole numbers.
constexpr double kRounding = 1e-9;
constexpr Micros kDay = 24 * 60 * kMinute;

double LowMark(double target) { return std::max(target - kLowMargin, target / 2); }

}  // namespace

AutoScaler::AutoScaler(const AutoScaling& scaling, const PerKind<int64_t>& units)
    : scaling_(scaling), units_(units) {}

void AutoScaler::CloseMinute(Micros now, const PerKind<double>& consumed) {
  for (const AccessKind kind : kScaledKinds) {
    if (!scaling_.rules[kind] || consumed[kind] <= 0) continue;
    const std::optional<int64_t> wanted = WantedUnits(kind, consumed[kind] / 60);
    Tracking& tracking = tracking_[kind];
    if (wanted && !tracking.change) {
      tracking.change = Change{now + scaling_.alarm_delay, *wanted, false};
    }
  }
}

// The units that an alarm at this data point requests.
std::optional<int64_t> AutoScaler::WantedUnits(AccessKind kind, double rate) {
  const ScalingRule& rule = *scaling_.rules[kind];
  Tracking& tracking = tracking_[kind];
  const auto units = static_cast<double>(units_[kind]);
  tracking.high_points = rate > rule.target * units ? tracking.high_points + 1 : 0;
  if (rate >= LowMark(rule.target) * units) tracking.low_points.clear();
  if (rate < LowMark(rule.target) * units) tracking.low_points.push_back(rate);
  if (tracking.low_points.size() > kLowPoints) tracking.low_points.pop_front();

  const bool is_high = tracking.high_points >= kHighPoints;
  const bool is_low = tracking.low_points.size() == kLowPoints;
  if (!is_high && !is_low) return std::nullopt;
  const double basis =
      is_high ? rate : *std::max_element(tracking.low_points.begin(), tracking.low_points.end());
  const auto wanted = std::clamp(static_cast<int64_t>(std::ceil(basis / rule.target - kRounding)),
                                 rule.minimum, rule.maximum);
  if (is_high ? wanted <= units_[kind] : wanted >= units_[kind]) return std::nullopt;
  return wanted;
}

// A day begins with the run, and then every 24 hours.
bool AutoScaler::IsDecreaseRefused(Micros now) {
  if (now / kDay != last_decrease_ / kDay) decreases_today_ = 0;
  if (decreases_today_ >= kFreeDecreasesPerDay && now < last_decrease_ + 60 * kMinute) return true;
  ++decreases_today_;
  last_decrease_ = now;
  return false;
}

std::vector<ScalingEvent> AutoScaler::Advance(Micros now) {
  std::vector<ScalingEvent> events;
  for (const AccessKind kind : kScaledKinds) {
    Tracking& tracking = tracking_[kind];
    if (tracking.change && !tracking.change->is_called && tracking.change->due <= now) {
      if (tracking.change->units < units_[kind] && IsDecreaseRefused(now)) {
        // The alarm stays on, so the next data point requests the change again.
        tracking.change.reset();
        continue;
      }
      tracking.change->is_called = true;
      tracking.change->due += scaling_.update_delay;
    }
    if (!tracking.change || !tracking.change->is_called || tracking.change->due > now) continue;
    events.push_back({now, kind, units_[kind], tracking.change->units});
    units_[kind] = tracking.change->units;
    // The alarms begin anew for the new units.
    tracking = {};
  }
  return events;
}

}  // namespace dynolith::lab
