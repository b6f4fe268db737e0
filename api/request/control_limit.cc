#include "api/request/control_limit.h"

#include <cmath>

#include "absl/time/time.h"
#include "api/request/messages.h"
#include "engine/base/errors.h"

namespace dynolith {
namespace {

constexpr Micros kSaved = 10 * kSecond;
// More than that do not come.
constexpr double kCallsMax = 1e6;

Micros NowMicros(const Clock& clock) { return absl::ToUnixMicros(clock.Now()); }

}  // namespace

ControlLimit::ControlLimit(const ControlRates& rates, const Clock* clock) : clock_(clock) {
  const double calls[] = {rates.changes, rates.descriptions, rates.stream_descriptions};
  const Micros now = NowMicros(*clock);
  for (size_t i = 0; i < calls_.size(); ++i) {
    if (!(calls[i] > 0) || calls[i] > kCallsMax) continue;
    const Rate rate = ToRate(1, calls[i]);
    calls_[i].emplace(rate, AccruedTokens(rate, kSaved), now);
  }
}

absl::Status ControlLimit::Admit(ControlCall call) {
  absl::MutexLock lock(&mutex_);
  std::optional<TokenBucket>& left = calls_[static_cast<size_t>(call)];
  if (!left) return absl::OkStatus();
  const Micros now = NowMicros(*clock_);
  if (left->HasAny(now)) {
    left->Take(now, kTokensPerUnit);
    return absl::OkStatus();
  }
  return MakeError(ErrorKind::kThrottling, call == ControlCall::kChange
                                               ? messages::TooManyControlChanges()
                                               : messages::TooManyDescriptions());
}

}  // namespace dynolith
