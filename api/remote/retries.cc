#include "api/remote/retries.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace dynolith::client {
namespace {

// The delay before the first repetition is at most this; it doubles with each.
constexpr absl::Duration kTransientDelay = absl::Milliseconds(25);
constexpr absl::Duration kThrottledDelay = absl::Seconds(1);
constexpr absl::Duration kServerDelayMax = absl::Seconds(5);  // beyond the own one
constexpr absl::Duration kSlice = absl::Milliseconds(100);
constexpr int kTransientTokens = 14;
constexpr int kThrottledTokens = 5;

template <size_t size>
bool IsAmong(std::string_view text, const std::string_view (&texts)[size]) {
  return std::find(std::begin(texts), std::end(texts), text) != std::end(texts);
}

}  // namespace

FailureKind KindOfFailure(int status, std::string_view error) {
  constexpr std::string_view kThrottling[] = {"ThrottlingException",
                                              "ProvisionedThroughputExceededException",
                                              "RequestLimitExceeded",
                                              "LimitExceededException",
                                              "TransactionInProgressException",
                                              "TooManyRequestsException",
                                              "RequestThrottledException",
                                              "RequestThrottled",
                                              "ThrottledException",
                                              "Throttling",
                                              "BandwidthLimitExceeded",
                                              "PriorRequestNotComplete",
                                              "SlowDown"};
  constexpr std::string_view kPassing[] = {"InternalServerError", "ServiceUnavailable",
                                           "RequestTimeout", "RequestTimeoutException",
                                           "ReplicatedWriteConflictException"};
  constexpr int kTooManyRequests = 429;
  if (IsAmong(error, kThrottling) || status == kTooManyRequests) return FailureKind::kThrottled;
  const bool is_passing_status =
      status == 0 || status == 500 || status == 502 || status == 503 || status == 504;
  return is_passing_status || IsAmong(error, kPassing) ? FailureKind::kTransient
                                                       : FailureKind::kFinal;
}

bool Retries::Call::WaitForNext(FailureKind kind, absl::Duration server_delay) {
  if (kind == FailureKind::kFinal || attempt_ >= retries_->options_.attempts_max) return false;
  const bool is_throttled = kind == FailureKind::kThrottled;
  const int tokens = is_throttled ? kThrottledTokens : kTransientTokens;
  if (!retries_->Take(tokens)) return false;
  tokens_ = tokens;
  const absl::Duration first = is_throttled ? kThrottledDelay : kTransientDelay;
  const absl::Duration longest =
      std::min(first * std::exp2(attempt_ - 1), retries_->options_.delay_max);
  const absl::Duration own = longest * retries_->Draw();
  ++attempt_;
  return retries_->Sleep(std::clamp(server_delay, own, own + kServerDelayMax));
}

bool Retries::Sleep(absl::Duration delay) const {
  if (!options_.is_over) {
    options_.sleep(delay);
    return true;
  }
  while (!options_.is_over()) {
    if (delay <= absl::ZeroDuration()) return true;
    const absl::Duration slice = std::min(delay, kSlice);
    options_.sleep(slice);
    delay -= slice;
  }
  return false;
}

bool Retries::Take(int tokens) {
  if (!options_.has_quota) return true;
  absl::MutexLock lock(&mutex_);
  if (tokens_ < tokens) return false;
  tokens_ -= tokens;
  return true;
}

void Retries::Return(int tokens) {
  absl::MutexLock lock(&mutex_);
  tokens_ = std::min(tokens_ + tokens, kTokensMax);
}

double Retries::Draw() {
  absl::MutexLock lock(&mutex_);
  return std::uniform_real_distribution<double>(0, 1)(random_);
}

}  // namespace dynolith::client
