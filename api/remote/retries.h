// When a failed call is repeated, and after what delay: the rules of the AWS SDKs since November
// 2026 ("Retry behavior" of the AWS SDKs and Tools Reference Guide).
#ifndef DYNOLITH_API_REMOTE_RETRIES_H_
#define DYNOLITH_API_REMOTE_RETRIES_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace dynolith::client {

enum class FailureKind : uint8_t {
  kFinal,      // as it would be the next time
  kTransient,  // no answer, or an error of the server
  kThrottled,
};

// `error`: the exception's name, "" where the answer has none. Not for answers with status 200.
FailureKind KindOfFailure(int status, std::string_view error);

struct RetryOptions {
  int attempts_max = 4;
  absl::Duration delay_max = absl::Seconds(20);
  // Whether all calls together may repeat only so many: 500 tokens, of which a repetition takes
  // 14, or 5 after throttling. A call that succeeds returns those of its last repetition, or 1.
  bool has_quota = true;
  uint64_t seed = std::random_device()();  // of the delays
  std::function<void(absl::Duration)> sleep = absl::SleepFor;
  // Asked before each delay and ten times a second of it, by any thread: whether no call is to be
  // repeated any more. Empty: never.
  std::function<bool()> is_over = nullptr;
};

// What the calls of a client share. Thread-safe.
class Retries {
 public:
  explicit Retries(RetryOptions options) : options_(std::move(options)), random_(options_.seed) {}

  // One call with its attempts. For one thread.
  class Call {
   public:
    explicit Call(Retries* retries) : retries_(retries) {}

    // After a failed attempt: sleeps, if another one may follow; false: the failure is the call's.
    // `server_delay`: of the header x-amz-retry-after; it makes the delay longer only, by at most
    // five seconds.
    bool WaitForNext(FailureKind kind, absl::Duration server_delay = absl::ZeroDuration());
    void Succeed() { retries_->Return(tokens_.value_or(kTokensOfSuccess)); }

   private:
    Retries* const retries_;
    int attempt_ = 1;
    std::optional<int> tokens_;  // of the last repetition
  };

 private:
  static constexpr int kTokensMax = 500;
  static constexpr int kTokensOfSuccess = 1;

  // Returns whether the call may be repeated after it.
  bool Sleep(absl::Duration delay) const;
  bool Take(int tokens) ABSL_LOCKS_EXCLUDED(mutex_);
  void Return(int tokens) ABSL_LOCKS_EXCLUDED(mutex_);
  // From 0 to 1, without 1.
  double Draw() ABSL_LOCKS_EXCLUDED(mutex_);

  const RetryOptions options_;
  absl::Mutex mutex_;
  int tokens_ ABSL_GUARDED_BY(mutex_) = kTokensMax;
  std::mt19937_64 random_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith::client

#endif  // DYNOLITH_API_REMOTE_RETRIES_H_
