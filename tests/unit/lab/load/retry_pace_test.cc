// By default clients are as patient as the SDKs (api/facts/capacity.md §9).
#include "tools/lab/load/retry_pace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace dynolith {
namespace {

using lab::RetryPace;
using lab::RetryRule;

TEST(RetryPace, AWaitIsARandomPartOfWhatDoubles) {
  const RetryRule rule;
  const RetryPace pace(rule, 1);
  uint64_t random = 1;
  for (const auto& [attempts, most] :
       {std::pair{1, 1}, {2, 2}, {3, 4}, {5, 16}, {6, 20}, {90, 20}}) {
    Micros shortest = kSecond * most;
    Micros longest = 0;
    for (int i = 0; i < 1'000; ++i) {
      const Micros wait = pace.Wait(attempts, &random);
      shortest = std::min(shortest, wait);
      longest = std::max(longest, wait);
    }
    EXPECT_LT(shortest, kSecond * most / 20);
    EXPECT_LE(longest, kSecond * most);
    EXPECT_GT(longest, kSecond * most / 20 * 19);
  }
}

TEST(RetryPace, HalfOrAllOfAWaitMayBeSure) {
  const RetryPace half({.base = kSecond, .jitter = lab::Jitter::kEqual}, 1);
  const RetryPace all({.base = kSecond, .jitter = lab::Jitter::kNone}, 1);
  uint64_t random = 1;
  Micros shortest = kMinute;
  Micros longest = 0;
  for (int i = 0; i < 1'000; ++i) {
    const Micros wait = half.Wait(2, &random);
    shortest = std::min(shortest, wait);
    longest = std::max(longest, wait);
    EXPECT_EQ(all.Wait(3, &random), 4 * kSecond);
  }
  EXPECT_GE(shortest, kSecond);
  EXPECT_LT(shortest, kSecond * 11 / 10);
  EXPECT_GT(longest, kSecond * 19 / 10);
  EXPECT_LE(longest, 2 * kSecond);
}

TEST(RetryPace, TheFirstRetryMayComeAtOnce) {
  const RetryPace pace({.base = kSecond, .jitter = lab::Jitter::kNone, .at_once = 1}, 1);
  uint64_t random = 1;
  EXPECT_EQ(pace.Wait(1, &random), 1);
  EXPECT_EQ(pace.Wait(2, &random), 2 * kSecond);
}

TEST(RetryPace, WaitsMayGrowOtherwise) {
  const RetryPace pace({.base = kSecond, .growth = 1.5, .jitter = lab::Jitter::kNone}, 1);
  uint64_t random = 1;
  EXPECT_EQ(pace.Wait(1, &random), kSecond);
  EXPECT_EQ(pace.Wait(3, &random), kSecond * 9 / 4);
}

TEST(RetryPace, FourAttemptsAreMade) {
  RetryPace pace(RetryRule(), 1);
  uint64_t random = 1;
  for (const int64_t attempts : {1, 2, 3}) EXPECT_TRUE(pace.WaitAfter(attempts, &random));
  EXPECT_FALSE(pace.WaitAfter(4, &random));
}

int AttemptsUntilGivenUp(RetryPace* pace) {
  uint64_t random = 1;
  int made = 0;
  while (made < 1'000 && pace->WaitAfter(1, &random)) ++made;
  return made;
}

TEST(RetryPace, AQuotaIsForAHundredAttempts) {
  RetryPace pace(RetryRule(), 1);
  EXPECT_EQ(AttemptsUntilGivenUp(&pace), 100);
  // What was served later gives back what its attempt took, what was served at once one token.
  pace.Served(2);
  EXPECT_EQ(AttemptsUntilGivenUp(&pace), 1);
  for (int i = 0; i < 4; ++i) pace.Served(1);
  EXPECT_EQ(AttemptsUntilGivenUp(&pace), 0);
  pace.Served(1);
  EXPECT_EQ(AttemptsUntilGivenUp(&pace), 1);
  for (int i = 0; i < 1'000; ++i) pace.Served(3);
  EXPECT_EQ(AttemptsUntilGivenUp(&pace), 100);
}

TEST(RetryPace, ASampleHasItsPartOfTheQuota) {
  RetryPace pace(RetryRule(), 10);
  EXPECT_EQ(AttemptsUntilGivenUp(&pace), 10);
}

TEST(RetryPace, WithoutAQuotaOnlyAttemptsCount) {
  RetryPace pace(RetryRule{.quota = 0}, 1);
  EXPECT_EQ(AttemptsUntilGivenUp(&pace), 1'000);
}

}  // namespace
}  // namespace dynolith
