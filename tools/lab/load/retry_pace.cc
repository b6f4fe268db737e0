#include "tools/lab/load/retry_pace.h"

#include <algorithm>
#include <cmath>

#include "tools/lab/load/key_generator.h"

namespace dynolith::lab {
namespace {

// api/facts/capacity.md §9.
constexpr double kTokensOfAttempt = 5;
constexpr double kTokensOfSuccess = 1;

}  // namespace

RetryPace::RetryPace(const RetryRule& rule, int64_t sample)
    : rule_(rule),
      tokens_max_(static_cast<double>(rule.quota) / static_cast<double>(sample)),
      tokens_(tokens_max_) {}

std::optional<Micros> RetryPace::WaitAfter(int64_t attempts, uint64_t* random) {
  if (attempts >= rule_.attempts) return std::nullopt;
  if (rule_.quota > 0) {
    if (tokens_ < kTokensOfAttempt) return std::nullopt;
    tokens_ -= kTokensOfAttempt;
  }
  return Wait(attempts, random);
}

Micros RetryPace::Wait(int64_t attempts, uint64_t* random) const {
  if (attempts <= rule_.at_once) return 1;
  const auto grown = static_cast<int>(std::min<int64_t>(attempts - 1, 40));
  const double most = std::min(static_cast<double>(rule_.base) * std::pow(rule_.growth, grown),
                               static_cast<double>(rule_.longest));
  double part = NextPart(random);
  if (rule_.jitter == Jitter::kEqual) part = (1 + part) / 2;
  if (rule_.jitter == Jitter::kNone) part = 1;
  return std::max<Micros>(1, static_cast<Micros>(part * most));
}

void RetryPace::Served(int64_t attempts) {
  const double back = attempts > 1 ? kTokensOfAttempt : kTokensOfSuccess;
  tokens_ = std::min(tokens_max_, tokens_ + back);
}

}  // namespace dynolith::lab
