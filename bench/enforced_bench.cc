// What it costs to ask a table's buckets: GetItem and PutItem where capacity is enforced, and never
// refused, beside the same where it is only counted, in turns on one table: two would differ by
// where their rows are. In memory, and (folder:1) in a folder, where the item cache has them on
// both sides, as it would after a while, but for puts of items that nobody reads, which only get
// there when capacity is enforced. `ratio` is the median call of one over that of the other,
// `more_ns` what it takes longer: medians of calls leave out those in which the machine did
// something else.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench_table.h"
#include "bench/median.h"
#include "bench/require.h"
#include "dynolith/database.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

const bool kAsTest = std::getenv("DYNOLITH_BENCH_SIZE") != nullptr;
const int kItems = kAsTest ? 100 : 10'000;
const int kBatch = kAsTest ? 1 : 1'000;
// Until new buckets have seen so much that they look at few accesses only, as old ones do.
const int kWarmUp = kAsTest ? 1 : 3'000;
// More than one core asks for.
constexpr CapacityOptions kEnough = {.mode = CapacityMode::kGlobal, .scale = 1'000};

std::string Pk(int i) { return "user#" + std::to_string(i); }

// `turn`: what is put over an equal item is no write.
PutItemRequest MakePut(int i, int turn) {
  std::string caption = std::to_string(turn);
  caption.resize(150, 'x');
  return {.table_name = "bench", .item = {{"pk", Value::S(Pk(i))}, {"caption", Value::S(caption)}}};
}

bool Get(Database* database, int i) {
  return database
      ->GetItem({.table_name = "bench", .key = {{"pk", Value::S(Pk(i))}}}, [](ItemView) {})
      .ok();
}

enum class Items { kRead, kUnread };

// `path`: empty: in memory.
std::unique_ptr<Database> Filled(Items items, const std::string& path) {
  auto database = Database::Open({.path = path, .in_memory = path.empty()});
  Require(database.ok(), "database");
  CreateBenchTable(database->get());
  for (int i = 0; i < kItems; ++i) Require((*database)->PutItem(MakePut(i, 0)).ok(), "item");
  // The second miss brings a row into the cache.
  for (int i = 0; i < 2 * kItems && items == Items::kRead; ++i) {
    Require(Get(database->get(), i / 2), "get");
  }
  return *std::move(database);
}

using Call = std::function<bool(Database*, int item, int turn)>;

void CompareWithCounting(benchmark::State& state, Items items, const Call& call) {
  const testing::ScratchFolder folder;
  const std::unique_ptr<Database> database =
      Filled(items, state.range(0) == 0 ? std::string() : folder / "data");
  std::vector<double> nanoseconds[2];
  int turn = 1;
  const auto call_next = [&] {
    Require(call(database.get(), static_cast<int>(turn * 7919LL % kItems), turn), "call");
    ++turn;
  };
  for (auto _ : state) {
    for (const bool enforces : {false, true}) {
      Require(database->SetCapacity("bench", enforces ? kEnough : CapacityOptions()).ok(), "mode");
      for (int i = 0; i < kWarmUp; ++i) call_next();
      for (int i = 0; i < kBatch; ++i) {
        const auto start = std::chrono::steady_clock::now();
        call_next();
        nanoseconds[enforces].push_back(
            std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
                .count());
      }
    }
  }
  const double counting = Median(nanoseconds[0]);
  const double enforcing = Median(nanoseconds[1]);
  state.counters["ratio"] = enforcing / counting;
  state.counters["more_ns"] = enforcing - counting;
}

void EnforcedGetItem(benchmark::State& state) {
  CompareWithCounting(state, Items::kRead,
                      [](Database* database, int i, int) { return Get(database, i); });
}

bool Put(Database* database, int i, int turn) { return database->PutItem(MakePut(i, turn)).ok(); }

void EnforcedPutItem(benchmark::State& state) { CompareWithCounting(state, Items::kRead, Put); }

void EnforcedPutItemUnread(benchmark::State& state) {
  CompareWithCounting(state, Items::kUnread, Put);
}

// Both sides look for the item that was there, by which a write is charged.
void EnforcedPutItemThatReads(benchmark::State& state) {
  CompareWithCounting(state, Items::kRead, [](Database* database, int i, int turn) {
    PutItemRequest put = MakePut(i, turn);
    put.return_consumed_capacity = ReturnConsumedCapacity::kTotal;
    return database->PutItem(put).ok();
  });
}

BENCHMARK(EnforcedGetItem)->ArgName("folder")->Arg(0)->Arg(1);
BENCHMARK(EnforcedPutItem)->ArgName("folder")->Arg(0)->Arg(1);
BENCHMARK(EnforcedPutItemUnread)->ArgName("folder")->Arg(0)->Arg(1);
BENCHMARK(EnforcedPutItemThatReads)->ArgName("folder")->Arg(0)->Arg(1);

}  // namespace
}  // namespace dynolith
