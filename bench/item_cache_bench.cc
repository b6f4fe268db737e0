// GetItem through the cache of items and without one: two databases that read one folder, in turns
// of calls for the same keys. `ratio` is the median turn with the cache over that without; `hits`
// is the share of reads that the cache answered, so that a benchmark of misses is seen to be one.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bench/bench_table.h"
#include "bench/median.h"
#include "bench/require.h"
#include "dynolith/database.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

const bool kAsTest = std::getenv("DYNOLITH_BENCH_SIZE") != nullptr;
const int kItems = kAsTest ? 2'000 : 300'000;
const int kTurn = kAsTest ? 10 : 1'000;
constexpr size_t kUsualCache = size_t{32} << 20;
// Holds some hundreds of the items.
constexpr size_t kSmallCache = size_t{128} << 10;

Item MakeKey(int i) {
  return {{"pk", Value::S("user#" + std::to_string(i / 100))}, {"sk", Value::N(i % 100)}};
}

void Fill(const std::string& folder) {
  const auto database = Database::Open({.path = folder});
  Require(database.ok(), "database");
  CreateBenchTable(database->get(), /*has_sort_key=*/true);
  for (int i = 0; i < kItems; ++i) {
    Item item = MakeKey(i);
    item.Set("caption", Value::S(std::string(150, static_cast<char>('a' + i % 26))));
    Require((*database)->PutItem({.table_name = "bench", .item = std::move(item)}).ok(), "item");
  }
}

std::unique_ptr<Database> Reader(const std::string& folder, size_t cache_bytes) {
  auto database =
      Database::Open({.path = folder, .item_cache_bytes = cache_bytes, .read_only = true});
  Require(database.ok(), "reader");
  return *std::move(database);
}

double MeasureNanoseconds(Database* database, const std::vector<Item>& keys) {
  const auto start = std::chrono::steady_clock::now();
  for (const Item& key : keys) {
    Require(database->GetItem({.table_name = "bench", .key = key}, [](ItemView) {}).ok(), "get");
  }
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
             .count() /
         static_cast<double>(keys.size());
}

// `next` gives the number of an item.
template <typename Next>
void Compare(benchmark::State& state, size_t cache_bytes, Next next) {
  static const testing::ScratchFolder folder;
  static const bool is_filled = (Fill(folder / "data"), true);
  static_cast<void>(is_filled);
  const auto without = Reader(folder / "data", 0);
  const auto with = Reader(folder / "data", cache_bytes);
  std::mt19937_64 random(1);
  const auto keys = [&] {
    std::vector<Item> keys;
    for (int i = 0; i < kTurn; ++i) keys.push_back(MakeKey(next(&random)));
    return keys;
  };
  // Both have the blocks, and the cache what it takes.
  for (int i = 0; i < (kAsTest ? 1 : 2 * kItems / kTurn); ++i) {
    const std::vector<Item> warming = keys();
    for (Database* const database : {with.get(), without.get()})
      MeasureNanoseconds(database, warming);
  }
  const StoreStatistics before = with->TakeStatistics().store;
  std::vector<double> times[2];
  bool with_first = false;
  for (auto _ : state) {
    const std::vector<Item> read = keys();
    // Who comes second is helped or hindered by what the first has left in the processor's caches.
    with_first = !with_first;
    for (const bool is_with : {with_first, !with_first}) {
      times[is_with].push_back(MeasureNanoseconds(is_with ? with.get() : without.get(), read));
    }
  }
  const StoreStatistics after = with->TakeStatistics().store;
  const auto hits = static_cast<double>(after.row_cache_hits - before.row_cache_hits);
  const auto misses = static_cast<double>(after.row_cache_misses - before.row_cache_misses);
  state.counters["with_ns"] = Median(times[1]);
  state.counters["without_ns"] = Median(times[0]);
  state.counters["ratio"] = Median(times[1]) / Median(times[0]);
  state.counters["hits"] = hits / std::max(1.0, hits + misses);
}

void GetItemHot(benchmark::State& state) {
  Compare(state, kUsualCache, [](std::mt19937_64* random) {
    return static_cast<int>((*random)() % 100) * (kItems / 100);
  });
}

// Nearly all are misses.
void GetItemUniformSmallCache(benchmark::State& state) {
  Compare(state, kSmallCache, [](std::mt19937_64* random) {
    return static_cast<int>((*random)() % static_cast<uint64_t>(kItems));
  });
}

void GetItemUniform(benchmark::State& state) {
  Compare(state, kUsualCache, [](std::mt19937_64* random) {
    return static_cast<int>((*random)() % static_cast<uint64_t>(kItems));
  });
}

// The i-th most frequent one is read 1/i as often as the first, and lies anywhere.
void GetItemZipfian(benchmark::State& state) {
  Compare(state, kUsualCache, [](std::mt19937_64* random) {
    const double rank = std::pow(kItems, std::uniform_real_distribution<>(0, 1)(*random));
    return static_cast<int>(static_cast<uint64_t>(rank) * 7919 % static_cast<uint64_t>(kItems));
  });
}

// What two databases differ by in any case.
void GetItemUniformNoCache(benchmark::State& state) {
  Compare(state, 0, [](std::mt19937_64* random) {
    return static_cast<int>((*random)() % static_cast<uint64_t>(kItems));
  });
}

BENCHMARK(GetItemHot);
BENCHMARK(GetItemUniformNoCache);
BENCHMARK(GetItemUniformSmallCache);
BENCHMARK(GetItemUniform);
BENCHMARK(GetItemZipfian);

}  // namespace
}  // namespace dynolith
