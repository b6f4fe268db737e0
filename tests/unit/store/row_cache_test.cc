// A cache that answers with what was there a moment ago breaks every promise of the engine at once,
// and only now and then. So: each way in which a reader and a writer can meet, and then many of
// both at random.
#include "engine/store/rows/row_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace dynolith {
namespace {

// Room for 64 short rows.
constexpr size_t kSmall = 16 << 10;

std::string Found(RowCache* cache, std::string_view key) {
  RowCache::Ticket ticket;
  const SharedRow row = cache->Find(key, &ticket);
  return row ? std::string(row.value()) : "(none)";
}

// As a reader does who finds `value` in the store.
void Read(RowCache* cache, std::string_view key, std::string_view value) {
  RowCache::Ticket ticket;
  if (!cache->Find(key, &ticket)) cache->Add(ticket, key, value);
}

void ReadTwice(RowCache* cache, std::string_view key, std::string_view value) {
  Read(cache, key, value);
  Read(cache, key, value);
}

void Write(RowCache* cache, std::string_view key, std::string_view value) {
  cache->EndChange(cache->BeginChange(key), key, value);
}

TEST(RowCacheTest, TakesARowAtItsSecondMiss) {
  RowCache cache(kSmall);
  Read(&cache, "a", "1");
  EXPECT_EQ(Found(&cache, "a"), "(none)");
  Read(&cache, "a", "1");
  EXPECT_EQ(Found(&cache, "a"), "1");
  EXPECT_EQ(Found(&cache, "b"), "(none)");
}

TEST(RowCacheTest, KeysAreBytesAndValuesMayBeEmpty) {
  RowCache cache(kSmall);
  const std::string with_zero("a\0b", 3);
  ReadTwice(&cache, with_zero, "");
  ReadTwice(&cache, "a", "2");
  EXPECT_EQ(Found(&cache, with_zero), "");
  EXPECT_EQ(Found(&cache, "a"), "2");
}

// Keys that a set could not hold, were their hashes alike: of every length, with one byte, wherever
// it is, that tells them apart.
TEST(RowCacheTest, KeysThatDifferInOneByteSpreadOverTheSets) {
  for (size_t size = 1; size <= 70; ++size) {
    for (size_t at = 0; at < size; ++at) {
      RowCache cache(size_t{256} << 10);  // 128 sets of eight
      std::string key(size, 'k');
      for (int i = 0; i < 128; ++i) {
        key[at] = static_cast<char>(2 * i);
        ReadTwice(&cache, key, "1");
      }
      int found = 0;
      for (int i = 0; i < 128; ++i) {
        key[at] = static_cast<char>(2 * i);
        found += Found(&cache, key) == "1" ? 1 : 0;
      }
      EXPECT_GE(found, 120) << "size " << size << ", byte " << at;
    }
  }
}

TEST(RowCacheTest, KeysOfZerosOfEveryLengthSpreadOverTheSets) {
  RowCache cache(size_t{256} << 10);
  const std::string zeros(128, '\0');
  for (size_t size = 0; size < zeros.size(); ++size) {
    ReadTwice(&cache, std::string_view(zeros).substr(0, size), "1");
  }
  int found = 0;
  for (size_t size = 0; size < zeros.size(); ++size) {
    found += Found(&cache, std::string_view(zeros).substr(0, size)) == "1" ? 1 : 0;
  }
  EXPECT_GE(found, 120);
}

TEST(RowCacheTest, ARowThatIsBeingChangedIsNotFound) {
  RowCache cache(kSmall);
  ReadTwice(&cache, "a", "1");
  const RowCache::Change change = cache.BeginChange("a");
  EXPECT_EQ(Found(&cache, "a"), "(none)");
  ReadTwice(&cache, "a", "1");
  EXPECT_EQ(Found(&cache, "a"), "(none)");
  cache.EndChange(change, "a", "2");
  EXPECT_EQ(Found(&cache, "a"), "2");
}

TEST(RowCacheTest, OnlyWhatWasThereComesBackWithAChange) {
  RowCache cache(kSmall);
  Write(&cache, "a", "1");
  EXPECT_EQ(Found(&cache, "a"), "(none)");
  Write(&cache, "a", "2");
  EXPECT_EQ(Found(&cache, "a"), "(none)");
  ReadTwice(&cache, "a", "2");
  cache.EndChange(cache.BeginChange("a"));  // a deletion
  EXPECT_EQ(Found(&cache, "a"), "(none)");
}

TEST(RowCacheTest, WhatWasReadBeforeAChangeStaysOut) {
  RowCache cache(kSmall);
  Read(&cache, "a", "1");
  RowCache::Ticket before;
  ASSERT_FALSE(cache.Find("a", &before));
  ASSERT_TRUE(before.may_add);
  const RowCache::Change change = cache.BeginChange("a");
  RowCache::Ticket during;
  ASSERT_FALSE(cache.Find("a", &during));
  cache.Add(before, "a", "1");
  EXPECT_EQ(Found(&cache, "a"), "(none)");
  cache.EndChange(change, "a", "2");
  cache.Add(before, "a", "1");
  cache.Add(during, "a", "1");
  EXPECT_EQ(Found(&cache, "a"), "(none)");
  Read(&cache, "a", "2");
  EXPECT_EQ(Found(&cache, "a"), "2");
}

TEST(RowCacheTest, OfChangesThatOverlapNoneBringsItsRow) {
  for (const bool first_ends_first : {true, false}) {
    RowCache cache(kSmall);
    ReadTwice(&cache, "a", "1");
    const RowCache::Change first = cache.BeginChange("a");
    const RowCache::Change second = cache.BeginChange("a");
    cache.EndChange(first_ends_first ? first : second, "a", "2");
    EXPECT_EQ(Found(&cache, "a"), "(none)");
    cache.EndChange(first_ends_first ? second : first, "a", "3");
    EXPECT_EQ(Found(&cache, "a"), "(none)");
    Read(&cache, "a", "3");
    EXPECT_EQ(Found(&cache, "a"), "3");
  }
}

TEST(RowCacheTest, AChangeOfWhatIsFoundSeesTheRowAndMayBeUndone) {
  RowCache cache(kSmall);
  RowCache::Change change;
  EXPECT_FALSE(cache.BeginChangeOfFound("a", &change));
  ReadTwice(&cache, "a", "1");
  ASSERT_TRUE(cache.BeginChangeOfFound("a", &change));
  EXPECT_EQ(change.row->value(), "1");
  EXPECT_EQ(Found(&cache, "a"), "(none)");
  cache.EndUndone(change);
  EXPECT_EQ(Found(&cache, "a"), "1");
  ASSERT_TRUE(cache.BeginChangeOfFound("a", &change));
  cache.EndChange(change, "a", "2");
  EXPECT_EQ(Found(&cache, "a"), "2");
}

// What nobody holds is overwritten where it is, and else where is room for it.
TEST(RowCacheTest, ValuesOfOtherSizesTakeTheirPlace) {
  RowCache cache(kSmall);
  ReadTwice(&cache, "a", std::string(100, '1'));
  const size_t bytes = cache.bytes();
  for (const size_t size : {100, 99, 60, 100, 51, 100}) {
    Write(&cache, "a", std::string(size, 'x'));
    EXPECT_EQ(Found(&cache, "a"), std::string(size, 'x'));
    EXPECT_EQ(cache.bytes(), bytes) << size;
  }
  for (const size_t size : {101, 40, 0, 5}) {
    Write(&cache, "a", std::string(size, 'y'));
    EXPECT_EQ(Found(&cache, "a"), std::string(size, 'y'));
    EXPECT_EQ(cache.bytes(), bytes + size - 100) << size;
  }
}

TEST(RowCacheTest, ARowStaysWhileItIsHeld) {
  RowCache cache(kSmall);
  ReadTwice(&cache, "a", "1");
  RowCache::Ticket ticket;
  SharedRow held = cache.Find("a", &ticket);
  Write(&cache, "a", "2");
  ASSERT_TRUE(held);
  EXPECT_EQ(held.value(), "1");
  SharedRow moved = std::move(held);
  EXPECT_EQ(moved.value(), "1");
  EXPECT_EQ(Found(&cache, "a"), "2");
}

TEST(RowCacheTest, MemoryIsBounded) {
  constexpr size_t kBytes = 256 << 10;
  RowCache cache(kBytes);
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    ReadTwice(&cache, std::to_string(random() % 5000), std::string(random() % 8000, 'x'));
    ASSERT_LE(cache.bytes(), kBytes);
  }
  EXPECT_GT(cache.bytes(), kBytes / 2);
  ReadTwice(&cache, "too large", std::string(kBytes / 4, 'x'));
  EXPECT_EQ(Found(&cache, "too large"), "(none)");
}

TEST(RowCacheTest, WhatIsReadOnceDrivesNothingOut) {
  RowCache cache(64 << 10);
  std::vector<std::string> hot;
  for (int i = 0; i < 100; ++i) hot.push_back("hot" + std::to_string(i));
  for (const std::string& key : hot) ReadTwice(&cache, key, "value");
  const auto stay = [&] {
    return std::count_if(hot.begin(), hot.end(),
                         [&](const std::string& key) { return Found(&cache, key) == "value"; });
  };
  const auto before = stay();
  EXPECT_GT(before, 90);  // a set may have got more than it has places for
  for (int i = 0; i < 100'000; ++i) Read(&cache, "once" + std::to_string(i), "value");
  EXPECT_GT(stay(), before - 5);  // two of those have the same hash now and then
}

TEST(RowCacheTest, WhatIsFoundStaysBeforeWhatIsNot) {
  RowCache cache(64 << 10);
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i < 20; ++i) ReadTwice(&cache, "hot" + std::to_string(i), "value");
    for (int i = 0; i < 20; ++i) {
      ReadTwice(&cache, "cold" + std::to_string(20 * round + i), "value");
    }
  }
  int stay = 0;
  for (int i = 0; i < 20; ++i) stay += Found(&cache, "hot" + std::to_string(i)) == "value";
  EXPECT_GE(stay, 19);
}

TEST(RowCacheTest, TheSmallestOneWorks) {
  RowCache cache(RowCache::kBytesMin);
  for (int i = 0; i < 1000; ++i) ReadTwice(&cache, std::to_string(i), "v");
  EXPECT_EQ(Found(&cache, "999"), "v");
  EXPECT_LE(cache.bytes(), RowCache::kBytesMin);
}

// Each key's value grows with each change, so that a reader can tell what it must not see any more.
TEST(RowCacheTest, NobodySeesAnOlderRowThanSomebodyHasSeen) {
  constexpr int kKeys = 24;
  constexpr int kSteps = 60'000;
  struct Register {
    std::atomic<uint64_t> stored = 0;  // "RocksDB"
    std::atomic<uint64_t> seen = 0;    // by a reader, or by a writer whose change has ended
  };
  std::array<Register, kKeys> registers;
  RowCache cache(4 << 10);  // two sets
  std::atomic<uint64_t> hits = 0;
  const auto raise = [](std::atomic<uint64_t>* to, uint64_t value) {
    for (uint64_t now = *to; now < value && !to->compare_exchange_weak(now, value);) {
    }
  };
  const auto work = [&](uint64_t seed, bool writes) {
    std::mt19937_64 random(seed);
    for (int i = 0; i < kSteps; ++i) {
      const size_t number = random() % 4 == 0 ? random() % kKeys : random() % 3;
      const std::string key = "key" + std::to_string(number);
      Register& entry = registers[number];
      if (writes && random() % 4 == 0) {
        const RowCache::Change change = cache.BeginChange(key);
        const uint64_t value = ++entry.stored;
        if (random() % 8 == 0) {
          cache.EndChange(change);
        } else {
          cache.EndChange(change, key, std::to_string(value));
        }
        raise(&entry.seen, value);
        continue;
      }
      const uint64_t least = entry.seen;
      RowCache::Ticket ticket;
      uint64_t value = 0;
      if (const SharedRow row = cache.Find(key, &ticket)) {
        ++hits;
        value = std::stoull(std::string(row.value()));
      } else {
        value = entry.stored;
        if (random() % 16 == 0) std::this_thread::yield();
        cache.Add(ticket, key, std::to_string(value));
      }
      ASSERT_GE(value, least) << "seed " << seed << ", step " << i;
      raise(&entry.seen, value);
    }
  };
  std::vector<std::thread> threads;
  for (uint64_t seed = 1; seed <= 4; ++seed) threads.emplace_back(work, seed, seed % 2 == 0);
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(hits, 1000u);
}

}  // namespace
}  // namespace dynolith
