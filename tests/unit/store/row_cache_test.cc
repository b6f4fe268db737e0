// A cache that answers with what was there a moment ago breaks every promise of the engine at once,
// and only now and then. So: each way in which a reader and a writer can meet, and then many of
// both at random.
#include "engine/store/rows/row_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/store/rows/cached_range.h"

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

using RangeRows = std::vector<std::pair<std::string, std::string>>;

// Of two collections.
const std::string kOneCollection = "id..hash-one";
const std::string kOtherCollection = "id..hash-two";

RangeKey WholeRange(const std::string& collection, bool is_backward = false) {
  return RangeKey(1, is_backward, collection, collection + "~");
}

RangeRows RangeRowsOf(std::string_view value) {
  RangeRows rows;
  for (CachedRange range(value); range.Next();) rows.emplace_back(range.key(), range.value());
  return rows;
}

// The first `rows` of the range, or what else there is. Without any: it is not cached.
RangeRows FoundRange(RowCache* cache, const RangeKey& range, size_t rows = 0) {
  RowCache::RangeTicket ticket;
  const SharedRow found = cache->FindRange(range, rows, &ticket);
  return found ? RangeRowsOf(found.value()) : RangeRows();
}

size_t RangeBytes(const RangeRows& rows) {
  RangeRecorder recorder;
  for (const auto& [key, value] : rows) EXPECT_TRUE(recorder.Add(key, value));
  return recorder.Finish({}, true).size();
}

void AddRange(RowCache* cache, const RowCache::RangeTicket& ticket, const RangeKey& range,
              const RangeRows& rows, bool is_whole) {
  RangeRecorder recorder;
  for (const auto& [key, value] : rows) ASSERT_TRUE(recorder.Add(key, value));
  cache->AddRange(ticket, range, recorder.Finish(ticket.state, is_whole));
}

// As a reader does who finds `rows` in the store, all that there are, or as many as it wanted.
void ReadRange(RowCache* cache, const RangeKey& range, const RangeRows& rows,
               bool is_whole = true) {
  RowCache::RangeTicket ticket;
  if (cache->FindRange(range, is_whole ? 0 : rows.size(), &ticket)) return;
  AddRange(cache, ticket, range, rows, is_whole);
}

void ReadRangeTwice(RowCache* cache, const RangeKey& range, const RangeRows& rows,
                    bool is_whole = true) {
  ReadRange(cache, range, rows, is_whole);
  ReadRange(cache, range, rows, is_whole);
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

TEST(RangeKeyTest, OnlyOneCollectionIsARange) {
  EXPECT_TRUE(RangeKey::IsInOneCollection(kOneCollection, kOneCollection + "~"));
  EXPECT_TRUE(RangeKey::IsInOneCollection(kOneCollection + "b", kOneCollection + "a"));
  EXPECT_FALSE(RangeKey::IsInOneCollection(kOneCollection, kOtherCollection));
  EXPECT_FALSE(RangeKey::IsInOneCollection(kOneCollection, ""));
  EXPECT_FALSE(RangeKey::IsInOneCollection("", ""));
  EXPECT_FALSE(RangeKey::IsInOneCollection("id..hash-on", "id..hash-on"));
  const RangeKey range(1, true, kOneCollection + "a", kOneCollection);
  EXPECT_EQ(range.collection(), kOneCollection);
  EXPECT_TRUE(range.is_backward());
  EXPECT_EQ(range.begin(), kOneCollection + "a");
  EXPECT_EQ(range.end(), kOneCollection);
  EXPECT_FALSE(WholeRange(kOneCollection).is_backward());
  EXPECT_NE(WholeRange(kOneCollection).bytes(),
            WholeRange(kOneCollection, /*is_backward=*/true).bytes());
  EXPECT_NE(RangeKey(1, false, kOneCollection, kOneCollection).bytes(),
            RangeKey(2, false, kOneCollection, kOneCollection).bytes());
  EXPECT_NE(
      RangeKey(1, false, kOneCollection + "a", kOneCollection + "b").bytes(),
      RangeKey(1, false, kOneCollection + "a" + kOneCollection[0], kOneCollection.substr(1) + "b")
          .bytes());
}

TEST(RowCacheTest, TakesARangeAtItsSecondMiss) {
  RowCache cache(kSmall);
  const RangeRows rows = {{kOneCollection, "1"}, {kOneCollection + "a", ""}};
  ReadRange(&cache, WholeRange(kOneCollection), rows);
  EXPECT_EQ(FoundRange(&cache, WholeRange(kOneCollection)), RangeRows());
  ReadRange(&cache, WholeRange(kOneCollection), rows);
  EXPECT_EQ(FoundRange(&cache, WholeRange(kOneCollection)), rows);
  EXPECT_EQ(FoundRange(&cache, WholeRange(kOneCollection, /*is_backward=*/true)), RangeRows());
  EXPECT_EQ(FoundRange(&cache, WholeRange(kOtherCollection)), RangeRows());
  EXPECT_EQ(FoundRange(&cache, RangeKey(1, false, kOneCollection, kOneCollection + "a")),
            RangeRows());
}

TEST(RowCacheTest, TheFirstRowsOfARangeAreNoMore) {
  RowCache cache(kSmall);
  const RangeRows all = {{kOneCollection + "a", "1"},
                         {kOneCollection + "b", "2"},
                         {kOneCollection + "c", "3"},
                         {kOneCollection + "d", "4"}};
  const RangeRows two(all.begin(), all.begin() + 2);
  ReadRangeTwice(&cache, WholeRange(kOneCollection), two, /*is_whole=*/false);
  EXPECT_EQ(FoundRange(&cache, WholeRange(kOneCollection), 1), two);
  EXPECT_EQ(FoundRange(&cache, WholeRange(kOneCollection), 2), two);
  EXPECT_EQ(FoundRange(&cache, WholeRange(kOneCollection), 3), RangeRows());
  EXPECT_EQ(FoundRange(&cache, WholeRange(kOneCollection), 0), RangeRows());
  const size_t bytes = cache.bytes();
  ReadRange(&cache, WholeRange(kOneCollection), all);
  EXPECT_EQ(FoundRange(&cache, WholeRange(kOneCollection), 0), all);
  EXPECT_EQ(FoundRange(&cache, WholeRange(kOneCollection), 3), all);
  EXPECT_EQ(FoundRange(&cache, WholeRange(kOneCollection), 100), all);
  // In the place of the other ones.
  EXPECT_EQ(cache.bytes(), bytes + RangeBytes(all) - RangeBytes(two));
}

TEST(RowCacheTest, ARangeOfWhichARowIsBeingChangedIsNotFound) {
  RowCache cache(kSmall);
  const RangeRows before = {{kOneCollection + "a", "1"}};
  const RangeRows after = {{kOneCollection + "a", "2"}};
  ReadRangeTwice(&cache, WholeRange(kOneCollection), before);
  ReadRangeTwice(&cache, WholeRange(kOneCollection, /*is_backward=*/true), before);
  cache.BeginChangeInCollection(kOneCollection + "b", false);
  for (const bool is_backward : {false, true}) {
    EXPECT_EQ(FoundRange(&cache, WholeRange(kOneCollection, is_backward)), RangeRows());
    ReadRangeTwice(&cache, WholeRange(kOneCollection, is_backward), before);
    EXPECT_EQ(FoundRange(&cache, WholeRange(kOneCollection, is_backward)), RangeRows());
  }
  cache.EndChangeInCollection(kOneCollection + "b");
  EXPECT_EQ(FoundRange(&cache, WholeRange(kOneCollection)), RangeRows());
  ReadRange(&cache, WholeRange(kOneCollection), after);
  EXPECT_EQ(FoundRange(&cache, WholeRange(kOneCollection)), after);
}

// What FindRange calls outdated.
RangeRows OutdatedRange(RowCache* cache, const RangeKey& range, size_t rows = 0) {
  RowCache::RangeTicket ticket;
  SharedRow outdated;
  EXPECT_FALSE(cache->FindRange(range, rows, &ticket, &outdated));
  return outdated ? RangeRowsOf(outdated.value()) : RangeRows();
}

void Change(RowCache* cache, const std::string& key, bool replaces) {
  cache->BeginChangeInCollection(key, replaces);
  cache->EndChangeInCollection(key);
}

TEST(RowCacheTest, AnOverwrittenRangeKeepsItsKeys) {
  RowCache cache(kSmall);
  const RangeRows rows = {{kOneCollection + "a", "1"}, {kOneCollection + "b", "1"}};
  const RangeKey range = WholeRange(kOneCollection);
  ReadRangeTwice(&cache, range, rows);
  cache.BeginChangeInCollection(kOneCollection + "a", /*replaces=*/true);
  EXPECT_EQ(OutdatedRange(&cache, range), RangeRows());
  cache.EndChangeInCollection(kOneCollection + "a");
  EXPECT_EQ(OutdatedRange(&cache, range), rows);
  EXPECT_EQ(FoundRange(&cache, range), RangeRows());
  Change(&cache, kOneCollection + "c", /*replaces=*/false);
  EXPECT_EQ(OutdatedRange(&cache, range), RangeRows());
}

TEST(RowCacheTest, AnOverwrittenRangeOfSomeRowsIsNotForMore) {
  RowCache cache(kSmall);
  const RangeRows rows = {{kOneCollection + "a", "1"}, {kOneCollection + "b", "1"}};
  const RangeKey range = WholeRange(kOneCollection);
  ReadRangeTwice(&cache, range, rows, /*is_whole=*/false);
  Change(&cache, kOneCollection + "a", /*replaces=*/true);
  EXPECT_EQ(OutdatedRange(&cache, range, 2), rows);
  EXPECT_EQ(OutdatedRange(&cache, range, 3), RangeRows());
  EXPECT_EQ(OutdatedRange(&cache, range, 0), RangeRows());
}

// The value of a range of `rows`, in the state of a ticket.
std::string RangeValue(const RowCache::RangeTicket& ticket, const RangeRows& rows, bool is_whole) {
  RangeRecorder recorder;
  for (const auto& [key, value] : rows) EXPECT_TRUE(recorder.Add(key, value));
  return std::string(recorder.Finish(ticket.state, is_whole));
}

// After how many costly walks the collection is wanted; 0: not after a hundred.
int WalksUntilWanted(RowCache* cache, const RangeKey& whole) {
  for (int walks = 1; walks <= 100; ++walks) {
    if (cache->WantsCollection(whole)) return walks;
  }
  return 0;
}

TEST(RowCacheTest, ACollectionIsWantedAsLongAsItsKeysAreNotCached) {
  RowCache cache(kSmall);
  const RangeKey whole = WholeRange(kOneCollection).WholeCollection();
  const RangeRows rows = {{kOneCollection + "a", "1"}, {kOneCollection + "b", "1"}};
  EXPECT_EQ(WalksUntilWanted(&cache, whole), 64);
  EXPECT_EQ(WalksUntilWanted(&cache, whole), 64);
  RowCache::RangeTicket ticket = cache.BeginCollection(whole);
  // The walk sees it or not.
  Change(&cache, kOneCollection + "a", /*replaces=*/true);
  cache.AddCollection(ticket, whole, RangeValue(ticket, rows, /*is_whole=*/true));
  EXPECT_EQ(WalksUntilWanted(&cache, whole), 0);
  RowCache::Collection found = cache.FindCollection(whole);
  ASSERT_TRUE(found.rows);
  EXPECT_TRUE(found.outdated);
  EXPECT_EQ(RangeRowsOf(found.rows.value()), rows);
  EXPECT_TRUE(cache.IsCurrent(found.ticket));
  Change(&cache, kOneCollection + "b", /*replaces=*/true);
  EXPECT_FALSE(cache.IsCurrent(found.ticket));

  Change(&cache, kOneCollection + "c", /*replaces=*/false);
  EXPECT_FALSE(cache.FindCollection(whole).rows);
  EXPECT_NE(WalksUntilWanted(&cache, whole), 0);
  ticket = cache.BeginCollection(whole);
  Change(&cache, kOneCollection + "c", /*replaces=*/false);
  cache.AddCollection(ticket, whole, RangeValue(ticket, rows, /*is_whole=*/true));
  EXPECT_FALSE(cache.FindCollection(whole).rows);
  ticket = cache.BeginCollection(whole);
  cache.AddCollection(ticket, whole, RangeValue(ticket, rows, /*is_whole=*/true));
  found = cache.FindCollection(whole);
  ASSERT_TRUE(found.rows);
  EXPECT_FALSE(found.outdated);
}

TEST(RowCacheTest, ACollectionThatIsTooLargeIsNotWanted) {
  RowCache cache(kSmall);
  const RangeKey whole = WholeRange(kOneCollection).WholeCollection();
  const RowCache::RangeTicket ticket = cache.BeginCollection(whole);
  for (int i = 0; i < 2; ++i) {
    Change(&cache, kOneCollection, /*replaces=*/false);
    cache.AddCollection(ticket, whole, RangeValue(ticket, {}, /*is_whole=*/false));
    EXPECT_FALSE(cache.FindCollection(whole).rows);
    EXPECT_EQ(WalksUntilWanted(&cache, whole), 0);
  }
}

TEST(RowCacheTest, NoCollectionIsAddedThatAChangeWasIn) {
  RowCache cache(kSmall);
  const RangeKey whole = WholeRange(kOneCollection).WholeCollection();
  cache.BeginChangeInCollection(kOneCollection, /*replaces=*/false);
  const RowCache::RangeTicket ticket = cache.BeginCollection(whole);
  cache.EndChangeInCollection(kOneCollection);
  cache.AddCollection(ticket, whole, RangeValue(ticket, {{kOneCollection, "1"}}, true));
  EXPECT_FALSE(cache.FindCollection(whole).rows);
}

TEST(RowsWithinTest, AreTheFirstOfARangeInItsOrder) {
  const std::string at = kOneCollection;
  const std::string value =
      RangeValue({}, {{at + "a", "1"}, {at + "b", "2"}, {at + "c", "3"}, {at + "d", "4"}}, true);
  const auto keys = [&](std::string_view begin, std::string_view end, bool is_backward,
                        size_t rows) {
    const RowsWithin within(
        CachedRange(value),
        RangeKey(1, is_backward, at + std::string(begin), at + std::string(end)), rows);
    std::string text;
    for (const RowsWithin::Row& row : within.rows) text += row.key.substr(at.size());
    return text + (within.is_whole ? "." : "");
  };
  EXPECT_EQ(keys("", "~", false, 0), "abcd.");
  EXPECT_EQ(keys("", "~", true, 0), "dcba.");
  EXPECT_EQ(keys("b", "d", false, 0), "bc.");
  EXPECT_EQ(keys("b", "d", true, 0), "cb.");
  EXPECT_EQ(keys("b", "d", false, 1), "b");
  EXPECT_EQ(keys("b", "d", true, 1), "c");
  EXPECT_EQ(keys("b", "d", false, 2), "bc.");
  EXPECT_EQ(keys("b", "d", true, 3), "cb.");
  EXPECT_EQ(keys("bb", "bc", false, 0), ".");
  EXPECT_EQ(keys("d", "b", true, 2), ".");
}

TEST(RowCacheTest, ARangeThatWasReadBeforeAChangeStaysOut) {
  RowCache cache(kSmall);
  const RangeRows before = {{kOneCollection, "1"}};
  ReadRange(&cache, WholeRange(kOneCollection), before);
  RowCache::RangeTicket ticket;
  ASSERT_FALSE(cache.FindRange(WholeRange(kOneCollection), 0, &ticket));
  ASSERT_TRUE(ticket.may_add);
  cache.BeginChangeInCollection(kOneCollection, false);
  RowCache::RangeTicket during;
  ASSERT_FALSE(cache.FindRange(WholeRange(kOneCollection), 0, &during));
  AddRange(&cache, ticket, WholeRange(kOneCollection), before, true);
  cache.EndChangeInCollection(kOneCollection);
  AddRange(&cache, ticket, WholeRange(kOneCollection), before, true);
  AddRange(&cache, during, WholeRange(kOneCollection), before, true);
  EXPECT_EQ(FoundRange(&cache, WholeRange(kOneCollection)), RangeRows());
}

TEST(RowCacheTest, ChangesThatOverlapAllHaveToEnd) {
  RowCache cache(kSmall);
  const RangeRows rows = {{kOneCollection, "1"}};
  for (int i = 0; i < 3; ++i) cache.BeginChangeInCollection(kOneCollection, false);
  for (int i = 0; i < 3; ++i) {
    ReadRangeTwice(&cache, WholeRange(kOneCollection), rows);
    EXPECT_EQ(FoundRange(&cache, WholeRange(kOneCollection)), RangeRows());
    cache.EndChangeInCollection(kOneCollection);
  }
  ReadRangeTwice(&cache, WholeRange(kOneCollection), rows);
  EXPECT_EQ(FoundRange(&cache, WholeRange(kOneCollection)), rows);
}

// Also those of keys that are too short for a collection.
TEST(RowCacheTest, ChangesOfOtherCollectionsLeaveARange) {
  RowCache cache(size_t{4} << 20);
  const RangeRows rows = {{kOneCollection, "1"}};
  ReadRangeTwice(&cache, WholeRange(kOneCollection), rows);
  for (const std::string& key : {kOtherCollection, std::string("id..hash-on"), std::string()}) {
    cache.BeginChangeInCollection(key, false);
    EXPECT_EQ(FoundRange(&cache, WholeRange(kOneCollection)), rows) << key;
    cache.EndChangeInCollection(key);
    EXPECT_EQ(FoundRange(&cache, WholeRange(kOneCollection)), rows) << key;
  }
}

// In the smallest cache all are in one set.
TEST(RowCacheTest, ARowWithTheKeyOfARangeIsAnother) {
  for (int i = 0; i < 200; ++i) {
    RowCache cache(kSmall);
    const std::string collection = std::to_string(100 + i) + "-hash-----";
    const RangeKey range = WholeRange(collection);
    const RangeRows rows = {{collection, "1"}};
    ReadRangeTwice(&cache, range, rows);
    EXPECT_EQ(Found(&cache, range.bytes()), "(none)");
    ReadTwice(&cache, range.bytes(), "row");
    EXPECT_EQ(Found(&cache, range.bytes()), "row");
    EXPECT_EQ(FoundRange(&cache, range), rows);
    Write(&cache, range.bytes(), "new");
    EXPECT_EQ(FoundRange(&cache, range), rows);
  }
}

TEST(RowCacheTest, RangesAndRowsShareTheMemory) {
  constexpr size_t kBytes = 256 << 10;
  RowCache cache(kBytes);
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    ReadTwice(&cache, std::to_string(random() % 500), std::string(random() % 2000, 'x'));
    const std::string collection = std::to_string(1000 + random() % 500) + "-hash---";
    ReadRangeTwice(&cache, WholeRange(collection),
                   {{collection + "a", std::string(random() % 4000, 'x')},
                    {collection + "b", std::string(random() % 4000, 'y')}});
    if (random() % 4 == 0) {
      cache.BeginChangeInCollection(collection, false);
      cache.EndChangeInCollection(collection);
    }
    ASSERT_LE(cache.bytes(), kBytes);
  }
  EXPECT_GT(cache.bytes(), kBytes / 2);
  ReadRangeTwice(&cache, WholeRange(kOneCollection), {{kOneCollection, std::string(40'000, 'x')}});
  EXPECT_EQ(FoundRange(&cache, WholeRange(kOneCollection)), RangeRows());
}

TEST(RangeRecorderTest, RefusesMoreThan64Kilobytes) {
  RangeRecorder recorder;
  EXPECT_FALSE(recorder.Add("k", std::string(65 << 10, 'x')));
  for (int i = 0; i < 63; ++i) EXPECT_TRUE(recorder.Add("k", std::string(1000, 'x'))) << i;
  EXPECT_TRUE(recorder.Add("k", std::string(1000, 'x')));
  EXPECT_FALSE(recorder.Add("k", std::string(1500, 'x')));
}

// Each key's value grows with each change, so that a reader can tell what it must not see any more.
struct VersionRegister {
  std::atomic<uint64_t> stored = 0;  // "RocksDB"
  std::atomic<uint64_t> seen = 0;    // by a reader, or by a writer whose change has ended

  void See(uint64_t value) {
    for (uint64_t now = seen; now < value && !seen.compare_exchange_weak(now, value);) {
    }
  }
};

void RunCacheThreads(const std::function<void(uint64_t seed)>& work) {
  std::vector<std::thread> threads;
  for (uint64_t seed = 1; seed <= 4; ++seed) threads.emplace_back(work, seed);
  for (std::thread& thread : threads) thread.join();
}

TEST(RowCacheTest, NobodySeesAnOlderRowThanSomebodyHasSeen) {
  constexpr int kKeys = 24;
  constexpr int kSteps = 60'000;
  std::array<VersionRegister, kKeys> registers;
  RowCache cache(4 << 10);  // two sets
  std::atomic<uint64_t> hits = 0;
  RunCacheThreads([&](uint64_t seed) {
    const bool writes = seed % 2 == 0;
    std::mt19937_64 random(seed);
    for (int i = 0; i < kSteps; ++i) {
      const size_t number = random() % 4 == 0 ? random() % kKeys : random() % 3;
      const std::string key = "key" + std::to_string(number);
      VersionRegister& entry = registers[number];
      if (writes && random() % 4 == 0) {
        const RowCache::Change change = cache.BeginChange(key);
        const uint64_t value = ++entry.stored;
        if (random() % 8 == 0) {
          cache.EndChange(change);
        } else {
          cache.EndChange(change, key, std::to_string(value));
        }
        entry.See(value);
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
      entry.See(value);
    }
  });
  EXPECT_GT(hits, 1000u);
}

// A writer changes up to three rows of one or two collections, and the value of each is that of its
// collection, as in a batch.
TEST(RowCacheTest, NobodySeesAnOlderRangeThanSomebodyHasSeen) {
  constexpr size_t kCollections = 12;
  constexpr int kSteps = 60'000;
  std::array<VersionRegister, kCollections> registers;
  RowCache cache(32 << 10);
  std::atomic<uint64_t> hits = 0;
  const auto collection = [](size_t number) { return std::to_string(100 + number) + "-hash-hash"; };
  const auto read = [&](std::mt19937_64* random, size_t number) -> uint64_t {
    const bool is_backward = (*random)() % 4 == 0;
    const RangeKey range = WholeRange(collection(number), is_backward);
    RowCache::RangeTicket ticket;
    if (const SharedRow found = cache.FindRange(range, 0, &ticket)) {
      ++hits;
      return std::stoull(RangeRowsOf(found.value()).at(0).second);
    }
    if ((*random)() % 16 == 0) std::this_thread::yield();
    const uint64_t value = registers[number].stored;
    if ((*random)() % 16 == 0) std::this_thread::yield();
    AddRange(&cache, ticket, range, {{collection(number), std::to_string(value)}}, true);
    return value;
  };
  const auto write = [&](std::mt19937_64* random) {
    const size_t first = (*random)() % kCollections;
    const size_t second = (*random)() % kCollections;
    const std::vector<std::string> keys = {collection(first) + "a", collection(first) + "b",
                                           collection(second) + "c"};
    for (const std::string& key : keys) cache.BeginChangeInCollection(key, false);
    const uint64_t value = ++registers[first].stored;
    const uint64_t other = ++registers[second].stored;
    for (const std::string& key : keys) cache.EndChangeInCollection(key);
    registers[first].See(value);
    registers[second].See(other);
  };
  RunCacheThreads([&](uint64_t seed) {
    std::mt19937_64 random(seed);
    for (int i = 0; i < kSteps; ++i) {
      if (seed % 2 == 0 && random() % 8 == 0) {
        write(&random);
        continue;
      }
      const size_t number = random() % 4 == 0 ? random() % kCollections : random() % 2;
      const uint64_t least = registers[number].seen;
      const uint64_t value = read(&random, number);
      ASSERT_GE(value, least) << "seed " << seed << ", step " << i;
      registers[number].See(value);
    }
  });
  EXPECT_GT(hits, 1000u);
}

}  // namespace
}  // namespace dynolith
