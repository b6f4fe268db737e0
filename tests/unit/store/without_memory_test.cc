// Rows in memory when each allocation of a change fails in turn: a change is there as a whole or
// not at all, also a batch of many, beside copies that are kept.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/store/local_store.h"
#include "engine/store/memory_store.h"
#include "engine/store/rows/row_cache.h"
#include "engine/store/rows/row_tree.h"
#include "tests/unit/allocation_counter.h"

namespace dynolith {
namespace {

using Rows = std::map<std::string, std::string>;
using Families = std::array<Rows, kFamilies>;

// How often `change` was without memory before it took place; `check` runs after each of these.
template <typename Change, typename Check>
int TryWithMoreAndMoreMemory(const Change& change, const Check& check) {
  for (int allocations = 0;; ++allocations) {
    thread_allocations_left = allocations;
    bool is_done = true;
    try {
      change();
    } catch (const std::bad_alloc&) {
      is_done = false;
    }
    thread_allocations_left = -1;
    if (is_done) return allocations;
    check();
  }
}

Rows RowsOfTree(const RowTree& tree) {
  Rows rows;
  RowTree::Walk walk(tree, "", "");
  for (walk.SeekAtOrAfter(""); walk.is_valid(); walk.Next()) rows.emplace(walk.key(), walk.value());
  EXPECT_EQ(tree.totals().rows, rows.size());
  return rows;
}

// Ascending in part, so that nodes split at their ends, too.
std::string KeyOf(std::mt19937* random, int step) {
  const auto drawn = static_cast<int>((*random)() % 400);
  const int number = drawn < 100 ? 10'000 + step : drawn;
  return "key " + std::to_string(number);
}

TEST(RowTreeWithoutMemory, AChangeTakesPlaceOrNot) {
  std::mt19937 random(1);
  RowTree tree, copy;
  Rows rows;
  int refused = 0;
  for (int step = 0; step < 2'500; ++step) {
    const std::string key = KeyOf(&random, step);
    const auto what = random() % (step < 1'500 ? 100 : 200);
    const auto is_as_before = [&] { ASSERT_EQ(RowsOfTree(tree), rows) << step; };
    if (what < 88) {
      const std::string value(random() % 20, 'v');
      refused += TryWithMoreAndMoreMemory([&] { tree.Put(key, value); }, is_as_before);
      rows[key] = value;
    } else if (what == 88) {
      const std::string end = key + "9";
      refused += TryWithMoreAndMoreMemory([&] { tree.RemoveRange(key, end); }, is_as_before);
      rows.erase(rows.lower_bound(key), rows.lower_bound(end));
    } else if (what == 89) {
      copy = tree;
    } else {
      refused += TryWithMoreAndMoreMemory([&] { tree.Remove(key); }, is_as_before);
      rows.erase(key);
    }
    if (step % 100 == 0) is_as_before();
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(refused, 1'000);
}

Families RowsOfStore(const Store& store) {
  Families rows;
  for (size_t family = 0; family < kFamilies; ++family) {
    Cursor cursor = store.Scan(static_cast<Family>(family), "", "", Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      rows[family].emplace(cursor.key(), cursor.value());
    }
  }
  return rows;
}

// Puts, deletes and ranges of a few families, some of the same rows.
WriteBatch RandomBatch(std::mt19937* random, int step, Families* rows) {
  WriteBatch batch;
  for (auto changes = 1 + (*random)() % 12; changes > 0; --changes) {
    const Family family = (*random)() % 2 == 0 ? Family::kLog : Family::kTables;
    Rows& of_family = (*rows)[static_cast<size_t>(family)];
    const std::string key = KeyOf(random, step);
    const auto what = (*random)() % 100;
    if (what < 60) {
      batch.Put(family, key, std::to_string(step));
      of_family[key] = std::to_string(step);
    } else if (what < 98 || family != Family::kLog) {
      batch.Delete(family, key);
      of_family.erase(key);
    } else {
      batch.DeleteRange(family, key, key + "9");
      of_family.erase(of_family.lower_bound(key), of_family.lower_bound(key + "9"));
    }
  }
  return batch;
}

TEST(StoreWithoutMemory, ABatchIsThereAsAWholeOrNot) {
  std::mt19937 random(2);
  const std::unique_ptr<LocalStore> store = MakeMemoryStore();
  Families rows;
  std::shared_ptr<const Snapshot> snapshot;
  int refused = 0;
  for (int step = 0; step < 800; ++step) {
    Families after = rows;
    const WriteBatch batch = RandomBatch(&random, step, &after);
    refused += TryWithMoreAndMoreMemory([&] { ASSERT_TRUE(store->Commit(batch).ok()); },
                                        [&] { ASSERT_EQ(RowsOfStore(*store), rows) << step; });
    rows = std::move(after);
    ASSERT_EQ(RowsOfStore(*store), rows) << step;
    if (HasFatalFailure()) return;
    if (random() % 20 == 0) snapshot = store->TakeSnapshot();
  }
  EXPECT_GT(refused, 1'000);
}

// Why: a set with a change that had not ended cached no row any more.
TEST(RowCacheWithoutMemory, RowsAreCachedAfterwards) {
  RowCache cache(1 << 20);
  const auto add = [&cache](std::string_view value) {
    RowCache::Ticket ticket;
    for (int misses = 0; misses < 2; ++misses) EXPECT_FALSE(cache.Find("key", &ticket));
    cache.Add(ticket, "key", value);
  };
  add("short");
  const RowCache::Change change = cache.BeginChange("key");
  thread_allocations_left = 0;
  cache.EndChange(change, "key", "much longer than before");
  thread_allocations_left = -1;
  add("much longer than before");
  RowCache::Ticket ticket;
  const SharedRow row = cache.Find("key", &ticket);
  ASSERT_TRUE(row);
  EXPECT_EQ(row.value(), "much longer than before");
}

// Why: of a commit that has succeeded the rows are added afterwards.
TEST(RowCacheWithoutMemory, AddsNothingAndSaysNothing) {
  RowCache cache(1 << 20);
  RowCache::Ticket ticket;
  for (int misses = 0; misses < 2; ++misses) EXPECT_FALSE(cache.Find("key", &ticket));
  thread_allocations_left = 0;
  EXPECT_NO_THROW(cache.Add(ticket, "key", "value"));
  thread_allocations_left = -1;
  EXPECT_FALSE(cache.Find("key", &ticket));
  cache.Add(ticket, "key", "value");
  EXPECT_TRUE(cache.Find("key", &ticket));
}

}  // namespace
}  // namespace dynolith
