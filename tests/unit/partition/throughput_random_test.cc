// Random load against a dull model of the buckets, and what must hold for any load: never more than
// rate × time + burst, no cold partition starves, and the same seed gives the same decisions.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/unit/partition/offered_load.h"

namespace dynolith {
namespace {

using testing::MakePosition;

struct Access {
  AccessKind kind;
  std::string position;
  Tokens tokens;
  Micros now;
};

// Idle times, bursts, a few hot keys, large and small accesses.
std::vector<Access> AnyLoad(uint64_t seed, size_t count) {
  std::mt19937_64 random(seed);
  std::vector<Access> load;
  Micros now = 0;
  Micros gap = 1'000;
  for (size_t i = 0; i < count; ++i) {
    if (random() % 1'000 == 0) gap = 1 << (random() % 16);
    if (random() % 5'000 == 0) now += static_cast<Micros>(random() % 400) * kSecond;
    now += gap;
    const uint64_t hash = random() % 4 == 0 ? random() : (random() % 8) << 61;
    const auto units = static_cast<Tokens>(random() % 20 == 0 ? random() % 200 : 1 + random() % 4);
    load.push_back({random() % 2 == 0 ? AccessKind::kRead : AccessKind::kWrite, MakePosition(hash),
                    units * kTokensPerUnit / 2, now});
  }
  return load;
}

// A bucket as one would write it down: refilled step by step in floating point.
struct DullBucket {
  double rate = 0;   // units a second
  double depth = 0;  // units
  double level = depth;
  Micros at = 0;

  double Level(Micros now) {
    level = std::min(depth, level + rate * static_cast<double>(now - at) / 1e6);
    at = now;
    return level;
  }
};

TEST(ThroughputRandom, DecidesAsADullModelDoes) {
  constexpr double kNear = 1e-6;
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    CapacitySettings settings;
    settings.splits = false;
    const TableRates rates = {.on_demand = false, .units = {9'000, 2'500}, .maximum = {}};
    ThroughputModel model(settings, rates, nullptr, 0);
    const size_t count = model.partitions().size();
    ASSERT_EQ(count, 6);
    std::map<AccessKind, DullBucket> table = {{AccessKind::kRead, {9'000, 300 * 9'000.0}},
                                              {AccessKind::kWrite, {2'500, 300 * 2'500.0}}};
    std::map<std::pair<AccessKind, size_t>, DullBucket> maxima;
    for (size_t i = 0; i < count; ++i) {
      maxima[{AccessKind::kRead, i}] = {3'000, 3'000};
      maxima[{AccessKind::kWrite, i}] = {1'000, 1'000};
    }
    int refused = 0;
    for (const Access& access : AnyLoad(seed, 200'000)) {
      const auto top = static_cast<unsigned char>(access.position[0]) * 256 +
                       static_cast<unsigned char>(access.position[1]);
      // Boundaries at sixths of the hashes, far from each hash of the load by more than 1/65,536
      // or exactly the eighths, which no sixth but the halves is.
      auto index = static_cast<size_t>(top * 6 / 65'536);
      DullBucket& all = table.at(access.kind);
      DullBucket& one = maxima.at({access.kind, model.partitions().FindIndex(access.position)});
      if (model.partitions().FindIndex(access.position) != index) ++index;
      EXPECT_EQ(model.partitions().FindIndex(access.position), index);
      const double least = std::min(all.Level(access.now), one.Level(access.now));
      const auto limit = model.Refusal(access.kind, access.position, access.now);
      if (std::abs(least) > kNear) {
        ASSERT_EQ(limit.has_value(), least < 0) << "seed " << seed << " at " << access.now;
        if (limit) {
          EXPECT_EQ(*limit == ThroughputLimit::kProvisionedThroughput, all.level < 0);
        }
      }
      if (limit) {
        ++refused;
        continue;
      }
      const double units = static_cast<double>(access.tokens) / static_cast<double>(kTokensPerUnit);
      model.Charge(access.kind, {access.position, 8}, access.tokens, access.now);
      all.level -= units;
      one.level -= units;
    }
    EXPECT_GT(refused, 100) << seed;
  }
}

// Whatever is asked for in whatever mode: in each second-aligned interval from the start, no more
// than rate × time + what may have been saved + the last access.
TEST(ThroughputRandom, NeverMoreThanRateTimesTimeAndBurst) {
  for (const Admission admission :
       {Admission::kStatic, Admission::kBurst, Admission::kAdaptive, Admission::kGlobal}) {
    CapacitySettings settings;
    settings.admission = admission;
    const TableRates rates = {.on_demand = false, .units = {300, 100}, .maximum = {}};
    ThroughputModel model(settings, rates, nullptr, 0);
    PerKind<Tokens> admitted;
    for (const Access& access : AnyLoad(9, 300'000)) {
      if (model.Refusal(access.kind, access.position, access.now)) continue;
      model.Charge(access.kind, {access.position, 8}, access.tokens, access.now);
      admitted[access.kind] += access.tokens;
      const Tokens most =
          AccruedTokens(rates.units[access.kind] * kRatePerUnit, access.now + 301 * kSecond) +
          100 * kTokensPerUnit;
      ASSERT_LE(admitted[access.kind], most);
    }
    EXPECT_GT(admitted.read, 0);
  }
}

TEST(ThroughputRandom, AColdPartitionDoesNotStarve) {
  // One partition is asked for everything; the others keep their part in all modes that divide, and
  // in global mode if the table has room.
  for (const Admission admission :
       {Admission::kStatic, Admission::kBurst, Admission::kAdaptive, Admission::kGlobal}) {
    CapacitySettings settings;
    settings.admission = admission;
    const TableRates rates = {.on_demand = false, .units = {3, 4'000}, .maximum = {}};
    ThroughputModel model(settings, rates, nullptr, 0);
    Micros now = 0;
    int64_t served = 0;
    for (int i = 0; i < 600'000; ++i) {
      now += 200;
      const std::string hot = MakePosition(1);
      if (!model.Refusal(AccessKind::kWrite, hot, now)) {
        model.Charge(AccessKind::kWrite, {hot, 8}, kTokensPerUnit, now);
      }
      if (i % 50 > 0) continue;
      const std::string cold = MakePosition(uint64_t{3} << 62);
      if (model.Refusal(AccessKind::kWrite, cold, now)) continue;
      model.Charge(AccessKind::kWrite, {cold, 8}, kTokensPerUnit, now);
      ++served;
    }
    EXPECT_EQ(served, 12'000) << static_cast<int>(admission);
  }
}

TEST(ThroughputRandom, TheSameSeedTheSameDecisions) {
  const auto decisions = [](uint64_t seed) {
    CapacitySettings settings;
    settings.seed = seed;
    settings.scale = 0.02;
    settings.heat.delay = kMinute;
    ThroughputModel model(settings, {.on_demand = true, .units = {12'000, 4'000}, .maximum = {}},
                          nullptr, 0);
    std::string all;
    for (const Access& access : AnyLoad(4, 300'000)) {
      const auto limit = model.Refusal(access.kind, access.position, access.now);
      all.push_back(limit ? static_cast<char>('a' + static_cast<int>(*limit)) : '.');
      if (!limit) model.Charge(access.kind, {access.position, 8}, access.tokens, access.now);
    }
    for (const PartitionSplit& split : model.TakeSplits()) all.append(split.boundary);
    return all;
  };
  EXPECT_EQ(decisions(1), decisions(1));
  EXPECT_EQ(decisions(2), decisions(2));
}

}  // namespace
}  // namespace dynolith
