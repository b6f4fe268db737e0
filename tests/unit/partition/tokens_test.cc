// Buckets are exact: what they hold after a time does not depend on how often they are looked at.
#include "engine/partition/tokens.h"

#include <gtest/gtest.h>

#include <random>

namespace dynolith {
namespace {

constexpr Rate kFive = 5 * kRatePerUnit;

TEST(TokenBucket, FillsUpToItsDepth) {
  TokenBucket bucket(kFive, AccruedTokens(kFive, 2 * kSecond), 0);
  EXPECT_EQ(bucket.Level(0), 10 * kTokensPerUnit);
  bucket.Take(0, 12 * kTokensPerUnit);
  EXPECT_EQ(bucket.Level(0), -2 * kTokensPerUnit);
  EXPECT_FALSE(bucket.HasAny(kSecond * 2 / 5));
  EXPECT_TRUE(bucket.HasAny(kSecond * 2 / 5 + 1));
  EXPECT_EQ(bucket.Level(kSecond), 3 * kTokensPerUnit);
  EXPECT_EQ(bucket.Fill(4 * kSecond), 8 * kTokensPerUnit);  // 15 for 7
  EXPECT_EQ(bucket.Level(100 * kSecond), 10 * kTokensPerUnit);
}

TEST(TokenBucket, TimeThatFallsIsTheLastOne) {
  TokenBucket bucket(kFive, AccruedTokens(kFive, kSecond), 10 * kSecond);
  bucket.Take(10 * kSecond, 5 * kTokensPerUnit);
  EXPECT_EQ(bucket.Level(3 * kSecond), 0);
  EXPECT_EQ(bucket.Level(11 * kSecond), 5 * kTokensPerUnit);
}

TEST(TokenBucket, AgesPassWithoutOverflow) {
  constexpr Rate kMost = 1'000'000 * kRatePerUnit;
  TokenBucket bucket(kMost, AccruedTokens(kMost, 300 * kSecond), 0);
  bucket.Take(0, AccruedTokens(kMost, 300 * kSecond));
  EXPECT_EQ(bucket.Level(INT64_MAX), AccruedTokens(kMost, 300 * kSecond));
}

TEST(TokenBucket, HoldsTheSameHoweverOftenItIsLookedAt) {
  std::mt19937_64 random(7);
  TokenBucket once(kFive, AccruedTokens(kFive, 1000 * kSecond), 0);
  once.Take(0, once.depth());
  TokenBucket often = once;
  Micros now = 0;
  for (int i = 0; i < 10'000; ++i) {
    now += static_cast<Micros>(random() % 1000);
    often.HasAny(now);
  }
  EXPECT_EQ(often.Level(now), once.Level(now));
  EXPECT_EQ(once.Level(now), AccruedTokens(kFive, now));
}

TEST(TokenBucket, ANewRateKeepsWhatIsThere) {
  TokenBucket bucket(kFive, AccruedTokens(kFive, 4 * kSecond), 0);
  bucket.Take(0, 10 * kTokensPerUnit);
  bucket.SetRate(2 * kFive, AccruedTokens(2 * kFive, 4 * kSecond), kSecond);
  EXPECT_EQ(bucket.Level(kSecond), 15 * kTokensPerUnit);
  EXPECT_EQ(bucket.Level(2 * kSecond), 25 * kTokensPerUnit);
  bucket.SetRate(kFive / 5, AccruedTokens(kFive / 5, 4 * kSecond), 2 * kSecond);
  EXPECT_EQ(bucket.Level(2 * kSecond), 4 * kTokensPerUnit);
}

TEST(TokenBucket, ANewOneHoldsNothing) {
  TokenBucket bucket;
  EXPECT_FALSE(bucket.HasAny(kMinute));
  EXPECT_FALSE(bucket.HasAny(INT64_MAX));
}

}  // namespace
}  // namespace dynolith
