// How often which key comes, and that its hash is the one of the key that an access would send.
#include "tools/lab/load/key_generator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "engine/base/big_endian.h"
#include "engine/key/key_codec.h"
#include "engine/value/number.h"

namespace dynolith::lab {
namespace {

KeySource Source(Distribution distribution, uint64_t count) {
  KeySource source;
  source.name = "key";
  source.prefix = "key#";
  source.distribution = distribution;
  source.count = count;
  return source;
}

std::map<uint64_t, double> Frequencies(const KeySource& source, int draws = 200'000) {
  KeyGenerator generator(source, 7, nullptr);
  std::map<uint64_t, double> frequencies;
  for (int i = 0; i < draws; ++i) frequencies[generator.Next(0)] += 1.0 / draws;
  return frequencies;
}

// One pass over all weights is the judge of the sampler without tables.
TEST(KeyGenerator, ZipfianFrequenciesAreThoseOfItsLaw) {
  for (const double theta : {0.5, 0.99, 1.0, 1.5}) {
    KeySource source = Source(Distribution::kZipfian, 1'000);
    source.theta = theta;
    double all = 0;
    for (int rank = 1; rank <= 1'000; ++rank) all += std::pow(rank, -theta);
    const std::map<uint64_t, double> got = Frequencies(source);
    EXPECT_LT(got.rbegin()->first, 1'000);
    for (const int rank : {1, 2, 3, 10, 100}) {
      const double wanted = std::pow(rank, -theta) / all;
      EXPECT_NEAR(got.at(static_cast<uint64_t>(rank) - 1), wanted, 5 * std::sqrt(wanted / 200'000))
          << theta << " " << rank;
    }
  }
}

TEST(KeyGenerator, ScrambledZipfianHasTheSameShareElsewhere) {
  const std::map<uint64_t, double> got =
      Frequencies(Source(Distribution::kScrambledZipfian, 1'000));
  const uint64_t hottest = Scrambled(0) % 1'000;
  EXPECT_NE(hottest, 0);
  EXPECT_NEAR(got.at(hottest), Frequencies(Source(Distribution::kZipfian, 1'000)).at(0), 0.02);
}

TEST(KeyGenerator, HotSetAndCelebrity) {
  KeySource hot = Source(Distribution::kHotSet, 1'000);
  hot.hot_keys = 0.01;
  hot.hot_share = 0.8;
  double share = 0;
  for (const auto& [key, part] : Frequencies(hot)) share += key < 10 ? part : 0;
  EXPECT_NEAR(share, 0.8, 0.01);
  KeySource celebrity = Source(Distribution::kCelebrity, 1'000);
  celebrity.hot_keys = 0;
  celebrity.hot_share = 0.5;
  EXPECT_NEAR(Frequencies(celebrity).at(0), 0.5, 0.01);
}

TEST(KeyGenerator, ListHasItsWeights) {
  KeySource list = Source(Distribution::kList, 2);
  list.values = {"a", "b"};
  list.weights = {1, 3};
  EXPECT_NEAR(Frequencies(list).at(1), 0.75, 0.01);
}

TEST(KeyGenerator, TheRestOfAListIsEven) {
  KeySource list = Source(Distribution::kList, 4);
  list.prefix = "k";
  list.values = {"a", "b"};
  list.weights = {1, 3};
  list.rest = 2;
  list.rest_first = 7;
  list.rest_weight = 4;
  for (const auto& [key, part] : Frequencies(list))
    EXPECT_NEAR(part, key == 1 ? 0.375 : key == 0 ? 0.125 : 0.25, 0.01);
  EXPECT_EQ(lab::KeyText(list, Type::kString, {.number = 1}), "b");
  EXPECT_EQ(lab::KeyText(list, Type::kString, {.number = 3}), "k8");
}

TEST(KeyGenerator, BulksGoKeyByKeyOrInTurn) {
  KeySource ordered = Source(Distribution::kOrdered, 3);
  ordered.each = 2;
  KeyGenerator by_key(ordered, 1, nullptr);
  for (const uint64_t key : {0, 0, 1, 1, 2, 2, 0}) EXPECT_EQ(by_key.Next(0), key);
  const KeySource interleaved = Source(Distribution::kInterleaved, 3);
  KeyGenerator in_turn(interleaved, 1, nullptr);
  for (const uint64_t key : {0, 1, 2, 0}) EXPECT_EQ(in_turn.Next(0), key);
}

TEST(KeyGenerator, TheLatestAreThoseThatWereMadeLast) {
  KeySource made = Source(Distribution::kAscending, 0);
  made.first = 1'000;
  KeyGenerator ascending(made, 1, nullptr);
  const KeySource newest = Source(Distribution::kLatest, 100);
  KeyGenerator latest(newest, 2, &ascending);
  for (int i = 0; i < 1'000; ++i) {
    const uint64_t newest = ascending.Next(0);
    const uint64_t key = latest.Next(0);
    EXPECT_LE(key, newest);
    EXPECT_GT(key + 100, newest);
  }
}

TEST(KeyGenerator, ASeedRepeatsItself) {
  const KeySource random = Source(Distribution::kRandom, 0);
  KeyGenerator one(random, 5, nullptr);
  KeyGenerator two(random, 5, nullptr);
  KeyGenerator other(random, 6, nullptr);
  for (int i = 0; i < 100; ++i) {
    const uint64_t key = one.Next(0);
    EXPECT_EQ(key, two.Next(0));
    EXPECT_NE(key, other.Next(0));
  }
}

// Numbers that nothing else decides are known before they come.
TEST(KeyGenerator, KnowsWhatComes) {
  for (const Distribution distribution :
       {Distribution::kUniform, Distribution::kScrambledZipfian}) {
    const KeySource source = Source(distribution, 1'000'000);
    KeyGenerator generator(source, 7, nullptr);
    std::vector<uint64_t> told;
    for (int i = 0; i < 50; ++i) {
      const uint64_t number = generator.Next(0);
      EXPECT_EQ(number, i < 16 ? number : told[static_cast<size_t>(i) - 16]);
      told.push_back(generator.Ahead().value_or(0));
    }
  }
  KeySource ascending = Source(Distribution::kAscending, 0);
  KeyGenerator made(ascending, 7, nullptr);
  EXPECT_FALSE(made.Ahead());
  const KeySource latest = Source(Distribution::kLatest, 10);
  EXPECT_FALSE(KeyGenerator(latest, 7, &made).Ahead());
}

uint64_t FirstBytes(const PartitionHash& hash) {
  return ReadBigEndian({reinterpret_cast<const char*>(hash.data()), 8});
}

TEST(PartitionHashes, AreThoseOfTheKeysThemselves) {
  const KeySource source = Source(Distribution::kUniform, 10);
  PartitionHashes texts(source, Type::kString);
  EXPECT_EQ(texts.ToText({.number = 3}), "key#3");
  EXPECT_EQ(texts.ToText({.number = 3, .suffix = 2, .index_suffix = 4}), "key#3.2.4");
  EXPECT_EQ(texts.FindHash({.number = 3}), FirstBytes(HashPartitionKey({"key#3"})));
  EXPECT_EQ(texts.FindHash({.number = 3, .suffix = 2}), FirstBytes(HashPartitionKey({"key#3.2"})));
  PartitionHashes numbers(source, Type::kNumber);
  const NumberBytes three = Number::FromInt64(3).Encode();
  EXPECT_EQ(numbers.FindHash({.number = 3}), FirstBytes(HashPartitionKey({three.view()})));
}

// Neighbours are hashed together, except some at the end. The last table fills large pages.
TEST(PartitionHashes, NeighboursMadeTogetherAreThoseOfTheKeysThemselves) {
  for (const uint64_t count : {1, 3, 4, 10, 300'001}) {
    const KeySource source = Source(Distribution::kUniform, count);
    for (const Type type : {Type::kString, Type::kNumber}) {
      PartitionHashes hashes(source, type);
      const auto expect = [&](uint64_t number) {
        const KeyNumber key = {.number = number};
        EXPECT_EQ(hashes.FindHash(key), HashPartition(type, hashes.ToText(key))) << number;
      };
      uint64_t random = 1;
      for (int i = 0; i < 100; ++i) expect(NextBelow(&random, count));
      expect(count - 1);
      expect(0);
    }
  }
}

// More keys than are kept, and keys whose places in what is kept are the same.
TEST(PartitionHashes, WhatIsKeptNeverDiffers) {
  KeySource source = Source(Distribution::kUniform, 40);
  source.shards = 16;
  PartitionHashes kept(source, Type::kString);
  std::set<uint64_t> all;
  for (int round = 0; round < 2; ++round) {
    for (uint32_t suffix = 0; suffix <= 16; ++suffix) {
      for (uint32_t index_suffix = 0; index_suffix <= 16; ++index_suffix) {
        for (uint64_t number = 0; number < 40; ++number) {
          const KeyNumber key = {number, suffix, index_suffix};
          const uint64_t hash = kept.FindHash(key);
          ASSERT_EQ(hash, FirstBytes(HashPartitionKey({kept.ToText(key)})));
          all.insert(hash);
        }
      }
    }
  }
  // "key#1.2" is one key, whichever of the two suffixes it has.
  EXPECT_EQ(all.size(), 40 * (1 + 16 + 16 * 16));
}

TEST(PartitionHashes, Periods) {
  KeySource days = Source(Distribution::kTime, 0);
  days.period = 24 * 60 * kMinute;
  EXPECT_EQ(PartitionHashes(days, Type::kString).ToText({.number = 31}), "2026-02-01");
  days.period = kMinute;
  EXPECT_EQ(PartitionHashes(days, Type::kString).ToText({.number = 61}), "2026-01-01T01:01:00");
}

// Ten keys a second are made; of the last ten seconds there are a hundred.
TEST(KeyGenerator, RecentKeysAreOfAWindowThatMoves) {
  std::vector<KeySource> sources(2);
  sources[0] = {.name = "event", .distribution = Distribution::kAscending, .first = 5};
  sources[1] = {.distribution = Distribution::kRecent, .of = "event", .window = 10 * kSecond};
  const KeyGenerators generators = MakeGenerators(sources, 1);
  EXPECT_EQ(generators[1]->Next(0), 4);  // the last one
  uint64_t least = UINT64_MAX;
  for (Micros now = 0; now < 100 * kSecond; now += kSecond / 10) {
    generators[0]->Next(now);
    const uint64_t made = generators[0]->made();
    const uint64_t recent = generators[1]->Next(now);
    EXPECT_LT(recent, made);
    EXPECT_GE(recent + 110, made);
    least = std::min(least, made - recent);
  }
  EXPECT_LE(least, 3);
}

TEST(KeyGenerator, RecentPeriodsOfTime) {
  std::vector<KeySource> sources(2);
  sources[0] = {.name = "hour", .distribution = Distribution::kTime, .period = 60 * kMinute};
  sources[1] = {.distribution = Distribution::kRecent,
                .of = "hour",
                .window = 120 * kMinute,
                .period = 60 * kMinute};
  const KeyGenerators generators = MakeGenerators(sources, 1);
  EXPECT_EQ(generators[1]->Next(0), 0);
  std::set<uint64_t> drawn;
  for (int i = 0; i < 1'000; ++i) drawn.insert(generators[1]->Next(10 * 60 * kMinute));
  EXPECT_EQ(drawn, (std::set<uint64_t>{8, 9, 10}));
  EXPECT_EQ(KeyText(sources[1], Type::kString, {.number = 8}), "2026-01-01T08:00:00");
}

}  // namespace
}  // namespace dynolith::lab
