// The rules of retries, with delays that are drawn by a seed and slept by the test.
#include "api/remote/retries.h"

#include <gtest/gtest.h>

#include <vector>

#include "absl/time/time.h"

namespace dynolith::client {
namespace {

class RetriesTest : public ::testing::Test {
 protected:
  RetryOptions Options() {
    return {.seed = 1, .sleep = [this](absl::Duration delay) { slept_.push_back(delay); }};
  }
  std::vector<absl::Duration> slept_;
};

TEST_F(RetriesTest, FailuresOfThreeKinds) {
  EXPECT_EQ(KindOfFailure(400, "ValidationException"), FailureKind::kFinal);
  EXPECT_EQ(KindOfFailure(400, "TransactionCanceledException"), FailureKind::kFinal);
  EXPECT_EQ(KindOfFailure(413, ""), FailureKind::kFinal);
  for (const char* const error :
       {"ThrottlingException", "ProvisionedThroughputExceededException", "RequestLimitExceeded",
        "LimitExceededException", "TransactionInProgressException"}) {
    EXPECT_EQ(KindOfFailure(400, error), FailureKind::kThrottled) << error;
  }
  EXPECT_EQ(KindOfFailure(429, "Unmodelled"), FailureKind::kThrottled);
  EXPECT_EQ(KindOfFailure(500, "InternalServerError"), FailureKind::kTransient);
  EXPECT_EQ(KindOfFailure(503, ""), FailureKind::kTransient);
  EXPECT_EQ(KindOfFailure(400, "ReplicatedWriteConflictException"), FailureKind::kTransient);
  EXPECT_EQ(KindOfFailure(0, ""), FailureKind::kTransient);
  EXPECT_EQ(KindOfFailure(501, ""), FailureKind::kFinal);
}

TEST_F(RetriesTest, FourAttempts) {
  Retries retries(Options());
  Retries::Call call(&retries);
  EXPECT_FALSE(call.WaitForNext(FailureKind::kFinal));
  EXPECT_TRUE(call.WaitForNext(FailureKind::kTransient));
  EXPECT_TRUE(call.WaitForNext(FailureKind::kThrottled));
  EXPECT_TRUE(call.WaitForNext(FailureKind::kTransient));
  EXPECT_FALSE(call.WaitForNext(FailureKind::kTransient));
  EXPECT_EQ(slept_.size(), 3);
}

// Why: a command that was interrupted went on waiting for up to a minute.
TEST_F(RetriesTest, ADelayEndsWhenNobodyWaitsAnyMore) {
  int asked = 0;
  RetryOptions options = Options();
  options.is_over = [&asked] { return ++asked > 3; };
  Retries retries(options);
  Retries::Call call(&retries);
  EXPECT_FALSE(call.WaitForNext(FailureKind::kThrottled, absl::Seconds(5)));
  ASSERT_EQ(slept_.size(), 3);
  EXPECT_EQ(slept_[0], absl::Milliseconds(100));
  EXPECT_FALSE(call.WaitForNext(FailureKind::kThrottled));
  EXPECT_EQ(slept_.size(), 3);
}

// A delay in parts is as long as one without.
TEST_F(RetriesTest, DelaysInPartsAreWhole) {
  RetryOptions options = Options();
  options.is_over = [] { return false; };
  Retries retries(options);
  Retries::Call call(&retries);
  EXPECT_TRUE(call.WaitForNext(FailureKind::kThrottled, absl::Seconds(5)));
  absl::Duration all;
  for (const absl::Duration slept : slept_) all += slept;
  EXPECT_EQ(all, absl::Seconds(5));
}

// Full jitter: from nothing up to the longest delay, which doubles up to twenty seconds.
TEST_F(RetriesTest, DelaysAreSpreadBelowABoundThatDoubles) {
  RetryOptions options = Options();
  options.attempts_max = 12;
  options.has_quota = false;
  Retries retries(options);
  for (const bool is_throttled : {false, true}) {
    std::vector<absl::Duration> longest(11, absl::ZeroDuration());
    std::vector<absl::Duration> shortest(11, absl::InfiniteDuration());
    for (int i = 0; i < 300; ++i) {
      slept_.clear();
      Retries::Call call(&retries);
      while (call.WaitForNext(is_throttled ? FailureKind::kThrottled : FailureKind::kTransient)) {
      }
      ASSERT_EQ(slept_.size(), 11);
      for (size_t at = 0; at < 11; ++at) {
        longest[at] = std::max(longest[at], slept_[at]);
        shortest[at] = std::min(shortest[at], slept_[at]);
      }
    }
    absl::Duration bound = is_throttled ? absl::Seconds(1) : absl::Milliseconds(25);
    for (size_t at = 0; at < 11; ++at, bound = std::min(2 * bound, absl::Seconds(20))) {
      EXPECT_LT(longest[at], bound) << at;
      EXPECT_GT(longest[at], 0.9 * bound) << at;
      EXPECT_LT(shortest[at], 0.1 * bound) << at;
    }
  }
}

TEST_F(RetriesTest, ASeedGivesTheSameDelays) {
  std::vector<absl::Duration> before;
  for (int run = 0; run < 2; ++run) {
    slept_.clear();
    Retries retries(Options());
    Retries::Call call(&retries);
    while (call.WaitForNext(FailureKind::kTransient)) {
    }
    if (run == 1) {
      EXPECT_EQ(slept_, before);
    }
    before = slept_;
  }
}

TEST_F(RetriesTest, TheServerMayAskForFiveSecondsMore) {
  const auto first_delay = [this](absl::Duration server_delay) {
    slept_.clear();
    Retries retries(Options());
    Retries::Call call(&retries);
    EXPECT_TRUE(call.WaitForNext(FailureKind::kThrottled, server_delay));
    return slept_.front();
  };
  const absl::Duration own = first_delay(absl::ZeroDuration());
  EXPECT_EQ(first_delay(own / 2), own);
  EXPECT_EQ(first_delay(own + absl::Seconds(3)), own + absl::Seconds(3));
  EXPECT_EQ(first_delay(absl::Hours(1)), own + absl::Seconds(5));
}

// 500 / 14 repetitions of calls that all fail; a success returns its own, or one token.
TEST_F(RetriesTest, AllCallsShareAQuota) {
  Retries retries(Options());
  const auto repetitions = [&retries](FailureKind kind) {
    Retries::Call call(&retries);
    int count = 0;
    while (call.WaitForNext(kind)) ++count;
    return count;
  };
  int transient = 0;
  for (int i = 0; i < 20; ++i) transient += repetitions(FailureKind::kTransient);
  EXPECT_EQ(transient, 35);
  EXPECT_EQ(repetitions(FailureKind::kThrottled), 2);  // the ten tokens left
  for (int i = 0; i < 5; ++i) Retries::Call(&retries).Succeed();
  Retries::Call repeated(&retries);
  EXPECT_TRUE(repeated.WaitForNext(FailureKind::kThrottled));
  repeated.Succeed();
  EXPECT_EQ(repetitions(FailureKind::kThrottled), 1);
  for (int i = 0; i < 600; ++i) Retries::Call(&retries).Succeed();
  EXPECT_EQ(repetitions(FailureKind::kTransient), 3);  // of 500 again
  transient = 3;
  for (int i = 0; i < 20; ++i) transient += repetitions(FailureKind::kTransient);
  EXPECT_EQ(transient, 35);
}

}  // namespace
}  // namespace dynolith::client
