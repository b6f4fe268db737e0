// What encryption at rest costs: two databases in folders of temporary files, one of them encrypted
// and otherwise the same, in turns of calls for the same items. `ratio` is the median turn of the
// encrypted one over that of the other. Caches are as small as they can be where a read is to come
// out of the files: those are in the operating system's cache then, so that decryption is all that
// is added, and a disk that takes longer makes the ratio smaller.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench_table.h"
#include "bench/compactions.h"
#include "bench/median.h"
#include "bench/require.h"
#include "dynolith/database.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

const bool kAsTest = std::getenv("DYNOLITH_BENCH_SIZE") != nullptr;
const int kItems = kAsTest ? 2'000 : 300'000;
const int kTurn = kAsTest ? 10 : 500;
constexpr int kItemsOfPartition = 100;
constexpr int kItemsOfQuery = 10;
constexpr size_t kCaptionBytes = 150;
constexpr size_t kNoCache = size_t{4} << 10;

Item MakeKey(int i) {
  return {{"pk", Value::S("user#" + std::to_string(i / kItemsOfPartition))},
          {"sk", Value::N(i % kItemsOfPartition)}};
}

// Half of the caption can be compressed.
Item MakeItem(int i) {
  Item item = MakeKey(i);
  std::mt19937 random(static_cast<uint32_t>(i));
  std::string caption(kCaptionBytes, 'x');
  for (size_t at = 0; at < kCaptionBytes / 2; ++at) {
    caption[at] = static_cast<char>('!' + random() % 90);
  }
  item.Set("caption", Value::S(std::move(caption)));
  return item;
}

DatabaseOptions Options(const std::string& folder, bool is_encrypted, bool is_cached) {
  static const bool has_key =
      setenv("DYNOLITH_BENCH_KEY", "0123456789abcdefghijklmnopqrstuv", 1) == 0;
  Require(has_key, "key");
  DatabaseOptions options{.path = folder};
  if (is_encrypted) options.encryption_key = "env:DYNOLITH_BENCH_KEY";
  options.item_cache_bytes = 0;
  if (!is_cached) options.block_cache_bytes = kNoCache;
  return options;
}

struct Pair {
  std::unique_ptr<Database> databases[2];  // [is_encrypted]
};

Pair Open(const testing::ScratchFolder& folder, bool is_cached) {
  Pair pair;
  for (const bool is_encrypted : {false, true}) {
    auto opened = Database::Open(
        Options(folder / (is_encrypted ? "encrypted" : "plain"), is_encrypted, is_cached));
    Require(opened.ok(), "database");
    pair.databases[is_encrypted] = *std::move(opened);
  }
  return pair;
}

const testing::ScratchFolder& Filled() {
  static const testing::ScratchFolder folder;
  static const bool is_filled = [] {
    const Pair pair = Open(folder, /*is_cached=*/true);
    for (const auto& database : pair.databases) {
      CreateBenchTable(database.get(), /*has_sort_key=*/true);
      for (int i = 0; i < kItems; ++i) {
        Require(database->PutItem({.table_name = "bench", .item = MakeItem(i)}).ok(), "item");
      }
      WaitForCompactions(*database);
    }
    return true;
  }();
  Require(is_filled, "items");
  return folder;
}

using Call = std::function<void(Database* database, int item)>;

void Compare(benchmark::State& state, bool is_cached, const Call& call) {
  const Pair pair = Open(Filled(), is_cached);
  std::mt19937_64 random(1);
  const auto choose = [&] {
    std::vector<int> items(static_cast<size_t>(kTurn));
    for (int& item : items) item = static_cast<int>(random() % static_cast<uint64_t>(kItems));
    return items;
  };
  const auto measure = [&](bool is_encrypted, const std::vector<int>& items) {
    const auto start = std::chrono::steady_clock::now();
    for (const int item : items) call(pair.databases[is_encrypted].get(), item);
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
               .count() /
           static_cast<double>(items.size());
  };
  for (int i = 0; i < (kAsTest ? 1 : 40); ++i) {
    const std::vector<int> warming = choose();
    for (const bool is_encrypted : {false, true}) measure(is_encrypted, warming);
  }
  std::vector<double> times[2];
  bool first = false;
  for (auto _ : state) {
    const std::vector<int> items = choose();
    first = !first;
    for (const bool is_encrypted : {first, !first}) {
      times[is_encrypted].push_back(measure(is_encrypted, items));
    }
  }
  state.counters["encrypted_ns"] = Median(times[1]);
  state.counters["plain_ns"] = Median(times[0]);
  state.counters["ratio"] = Median(times[1]) / Median(times[0]);
}

void Put(Database* database, int item) {
  Require(database->PutItem({.table_name = "bench", .item = MakeItem(item)}).ok(), "put");
}
void Get(Database* database, int item) {
  Require(database->GetItem({.table_name = "bench", .key = MakeKey(item)}, [](ItemView) {}).ok(),
          "get");
}
void Query(Database* database, int item) {
  QueryRequest query = {.table_name = "bench", .key_condition_expression = "pk = :p"};
  query.expression_attribute_values = {
      {":p", Value::S("user#" + std::to_string(item / kItemsOfPartition))}};
  query.limit = kItemsOfQuery;
  Require(database->Query(query, [](ItemView) {}).ok(), "query");
}

void PutItem(benchmark::State& state) { Compare(state, /*is_cached=*/true, Put); }
void GetItemUncached(benchmark::State& state) { Compare(state, /*is_cached=*/false, Get); }
void GetItemCached(benchmark::State& state) { Compare(state, /*is_cached=*/true, Get); }
void QueryUncached(benchmark::State& state) { Compare(state, /*is_cached=*/false, Query); }

BENCHMARK(GetItemUncached);
BENCHMARK(GetItemCached);
BENCHMARK(QueryUncached);
BENCHMARK(PutItem);

}  // namespace
}  // namespace dynolith
