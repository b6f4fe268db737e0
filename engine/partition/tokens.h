// A token bucket of capacity: every limit of the model is one of these. Exact: its level depends on
// the times of its calls only through their sum, in whole microseconds.
#ifndef DYNOLITH_ENGINE_PARTITION_TOKENS_H_
#define DYNOLITH_ENGINE_PARTITION_TOKENS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace dynolith {

// Billionths of a capacity unit, so that a rate of thousandths of a unit each second gives a whole
// number each microsecond.
using Tokens = int64_t;
// Thousandths of a capacity unit a second.
using Rate = int64_t;
// Microseconds since some moment that all calls share.
using Micros = int64_t;

inline constexpr Tokens kTokensPerUnit = 1'000'000'000;
inline constexpr Rate kRatePerUnit = 1'000;
inline constexpr Micros kSecond = 1'000'000;
inline constexpr Micros kMinute = 60 * kSecond;

// The tokens of a rate in a time. Requires: at most 9 billion units.
inline Tokens AccruedTokens(Rate rate, Micros time) { return rate * time; }

// The rate of `units` a second at a scale: always above zero.
inline Rate ToRate(int64_t units, double scale) {
  return std::max<Rate>(1, std::llround(static_cast<double>(units * kRatePerUnit) * scale));
}

class TokenBucket {
 public:
  // Always empty.
  TokenBucket() = default;
  // Full.
  TokenBucket(Rate rate, Tokens depth, Micros now)
      : rate_(rate), depth_(depth), level_(depth), filled_(now) {}

  // Admits an access while anything is left: the cost of a read is known only afterwards, so the
  // level may fall below zero and must first rise from there.
  bool HasAny(Micros now) {
    Fill(now);
    return level_ > 0;
  }
  void Take(Micros now, Tokens tokens) {
    Fill(now);
    level_ -= tokens;
  }
  Tokens Level(Micros now) {
    Fill(now);
    return level_;
  }

  // A new rate from now on. The level is kept, up to the new depth.
  void SetRate(Rate rate, Tokens depth, Micros now) {
    Fill(now);
    rate_ = rate;
    depth_ = depth;
    level_ = std::min(level_, depth_);
  }
  // Adds tokens from another bucket, as far as there is room.
  void Put(Tokens tokens) { level_ = std::min(level_ + tokens, depth_); }
  void SetLevel(Tokens level) { level_ = std::min(level, depth_); }

  // Fills it up to `now`; returns the overflow. An earlier time counts as the last one.
  Tokens Fill(Micros now) {
    const Micros passed = now - filled_;
    if (passed <= 0) return 0;
    filled_ = now;
    // Limited to half of the range of the numbers, however long it was.
    const auto gained = static_cast<Tokens>(
        std::min(static_cast<__int128>(rate_) * passed, static_cast<__int128>(kGainMax)));
    const Tokens room = depth_ - level_;
    level_ += std::min(gained, room);
    return std::max<Tokens>(0, gained - room);
  }

  // A bucket with half of the rate, the depth and the level.
  TokenBucket Half(Micros now) {
    Fill(now);
    TokenBucket half = *this;
    half.rate_ /= 2;
    half.depth_ /= 2;
    half.level_ /= 2;
    return half;
  }

  Rate rate() const { return rate_; }
  Tokens depth() const { return depth_; }

 private:
  static constexpr Tokens kGainMax = INT64_MAX / 2;

  Rate rate_ = 0;
  Tokens depth_ = 0;
  Tokens level_ = 0;
  Micros filled_ = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PARTITION_TOKENS_H_
