// A bucket of capacity that fills with time: every limit of the model is one of these. Exact: what
// it holds depends on the times of its calls only through their sum, in whole microseconds.
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
// Microseconds since any moment that all calls share.
using Micros = int64_t;

inline constexpr Tokens kTokensPerUnit = 1'000'000'000;
inline constexpr Rate kRatePerUnit = 1'000;
inline constexpr Micros kSecond = 1'000'000;
inline constexpr Micros kMinute = 60 * kSecond;

// What a rate gives in a time. Requires: it is at most 9 billion units.
inline Tokens TokensOf(Rate rate, Micros time) { return rate * time; }

// What `units` a second are at a scale: at least something.
inline Rate RateOf(int64_t units, double scale) {
  return std::max<Rate>(1, std::llround(static_cast<double>(units * kRatePerUnit) * scale));
}

class TokenBucket {
 public:
  // Holds nothing, ever.
  TokenBucket() = default;
  // Full.
  TokenBucket(Rate rate, Tokens depth, Micros now)
      : rate_(rate), depth_(depth), level_(depth), filled_(now) {}

  // Admits whoever comes while something is left: what a read costs is known only afterwards, so
  // that the level may fall below zero, from where it has to rise first.
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

  // A new rate from now on. What is in the bucket stays, up to the new depth.
  void SetRate(Rate rate, Tokens depth, Micros now) {
    Fill(now);
    rate_ = rate;
    depth_ = depth;
    level_ = std::min(level_, depth_);
  }
  // What another bucket gives, as far as there is room.
  void Put(Tokens tokens) { level_ = std::min(level_ + tokens, depth_); }
  void SetLevel(Tokens level) { level_ = std::min(level, depth_); }

  // Fills it up to `now`; returns what ran over. A time before the last one is taken for that.
  Tokens Fill(Micros now) {
    const Micros passed = now - filled_;
    if (passed <= 0) return 0;
    filled_ = now;
    // However long it was, no more comes in than half of the numbers can hold.
    const auto gained = static_cast<Tokens>(
        std::min(static_cast<__int128>(rate_) * passed, static_cast<__int128>(kGainMax)));
    const Tokens room = depth_ - level_;
    level_ += std::min(gained, room);
    return std::max<Tokens>(0, gained - room);
  }

  // One that is half as fast and deep, and half as full.
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
