// One hot partition key of a global index, which is in one range or in shards, in turns in one run:
// what writes of new items under it and updates of one item under it cost with 1 to 64 threads,
// what a page of it costs, and how many puts a second enforced capacity lets through. `ratio_16` is
// 16 shards over one range, the median of all turns: of times, of a page those of the processor,
// but of `Admitted` of puts.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/median.h"
#include "bench/require.h"
#include "dynolith/database.h"

namespace dynolith {
namespace {

const bool kAsTest = std::getenv("DYNOLITH_BENCH_SIZE") != nullptr;
const int kItems = kAsTest ? 100 : 20'000;
const int kWritesPerTurn = kAsTest ? 64 : 1'600;  // of all threads
const int kTurns = kAsTest ? 1 : 60;
constexpr int kShards[] = {1, 4, 16, 64};

std::unique_ptr<Database> Open(int shards, Clock* clock = nullptr) {
  auto database = Database::Open({.in_memory = true, .clock = clock});
  Require(database.ok(), "database");
  CreateTableRequest request{.table_name = "bench",
                             .attribute_definitions = {{{"pk"}, {"g"}, {"n", Type::kNumber}}},
                             .key_schema = {{{"pk"}}},
                             .billing_mode = BillingMode::kPayPerRequest};
  SecondaryIndex index{.index_name = "by-g", .key_schema = {{"g"}, {"n", KeyType::kRange}}};
  index.projection.projection_type = ProjectionType::kAll;
  request.global_secondary_indexes.emplace().push_back(index);
  Require((*database)->CreateTable(request).ok(), "table");
  Require((*database)->SetIndexShards("bench", "by-g", shards).ok(), "shards");
  Require((*database)->WaitForBackfills().ok(), "shards");
  return *std::move(database);
}

absl::Status Put(Database* database, int i) {
  return database
      ->PutItem({.table_name = "bench",
                 .item = {{"pk", Value::S("user#" + std::to_string(i))},
                          {"g", Value::S("hot")},
                          {"n", Value::N(i)},
                          {"caption", Value::S(std::string(150, 'a'))}}})
      .status();
}

std::unique_ptr<Database> Filled(int shards) {
  std::unique_ptr<Database> database = Open(shards);
  for (int i = 0; i < kItems; ++i) Require(Put(database.get(), i).ok(), "item");
  return database;
}

// Runs a turn of each side until the benchmark ends; they take turns in being the first.
// `run_turn`: returns the seconds that it took.
void Compare(benchmark::State& state, const std::function<double(Database*, int)>& run_turn) {
  constexpr size_t kSides = std::size(kShards);
  std::vector<std::unique_ptr<Database>> sides;
  for (const int shards : kShards) sides.push_back(Filled(shards));
  std::vector<double> seconds;
  std::vector<std::vector<double>> ratios(kSides);
  int turn = 0;
  for (auto _ : state) {
    std::vector<double> of_turn(kSides);
    for (size_t i = 0; i < kSides; ++i) {
      const size_t side = (i + static_cast<size_t>(turn)) % kSides;
      of_turn[side] = run_turn(sides[side].get(), turn);
    }
    seconds.push_back(of_turn[0]);
    for (size_t side = 1; side < kSides; ++side) {
      ratios[side].push_back(of_turn[side] / of_turn[0]);
    }
    ++turn;
  }
  for (size_t side = 1; side < kSides; ++side) {
    state.counters["ratio_" + std::to_string(kShards[side])] = Median(ratios[side]);
  }
  state.counters["plain_ms"] = Median(seconds) * 1e3;
}

using Seconds = std::chrono::duration<double>;

// The time from the moment at which all threads are there until the last one has done its writes.
double MeasureTime(int threads, const std::function<void(int thread, int writes)>& write) {
  const int writes = std::max(1, kWritesPerTurn / threads);
  std::chrono::steady_clock::time_point start;
  std::barrier all_there(threads,
                         [&start]() noexcept { start = std::chrono::steady_clock::now(); });
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread) {
    running.emplace_back([&, thread] {
      all_there.arrive_and_wait();
      write(thread, writes);
    });
  }
  for (std::thread& thread : running) thread.join();
  return Seconds(std::chrono::steady_clock::now() - start).count();
}

// New items, all under the hot key.
void PutUnderHotKey(benchmark::State& state) {
  const auto threads = static_cast<int>(state.range(0));
  Compare(state, [&](Database* database, int turn) {
    return MeasureTime(threads, [&](int thread, int writes) {
      const int first = kItems + (turn * threads + thread) * writes;
      for (int i = 0; i < writes; ++i) Require(Put(database, first + i).ok(), "put");
    });
  });
}

// One item, whose entry under the hot key moves each time.
void UpdateHotItem(benchmark::State& state) {
  const auto threads = static_cast<int>(state.range(0));
  const UpdateItemRequest request{.table_name = "bench",
                                  .key = {{"pk", Value::S("user#0")}},
                                  .update_expression = "ADD n :one",
                                  .expression_attribute_values = Item{{":one", Value::N(1)}}};
  Compare(state, [&](Database* database, int) {
    return MeasureTime(threads, [&](int, int writes) {
      for (int i = 0; i < writes; ++i) Require(database->UpdateItem(request).ok(), "update");
    });
  });
}

// Of this thread: others on the machine do not count.
double ProcessorSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void QueryHotKey(benchmark::State& state) {
  QueryRequest request{.table_name = "bench", .index_name = "by-g"};
  request.key_condition_expression = "g = :g";
  request.expression_attribute_values = Item{{":g", Value::S("hot")}};
  request.limit = state.range(0);
  constexpr int kPagesPerTurn = 20;
  Compare(state, [&request](Database* database, int) {
    const double start = ProcessorSeconds();
    for (int i = 0; i < kPagesPerTurn; ++i) {
      int64_t items = 0;
      Require(database->Query(request, [&items](ItemView) { ++items; }).ok(), "query");
      benchmark::DoNotOptimize(items);
    }
    return ProcessorSeconds() - start;
  });
}

// Puts that a hundredth of the service's partitions let through in ten seconds.
int Admitted(int shards) {
  ManualClock clock(absl::FromUnixSeconds(1'700'000'000));
  const std::unique_ptr<Database> database = Open(shards, &clock);
  Require(database->SetCapacity("bench", {.mode = CapacityMode::kGlobal, .scale = 0.01}).ok(),
          "capacity");
  int admitted = 0;
  for (int i = 0; i < 10 * 500; ++i) {
    admitted += Put(database.get(), i).ok() ? 1 : 0;
    if (i % 500 == 499) clock.Advance(absl::Seconds(1));
  }
  return admitted;
}
void Admitted(benchmark::State& state) {
  int plain = 0;
  int sharded = 0;
  for (auto _ : state) {
    plain = Admitted(1);
    sharded = Admitted(static_cast<int>(state.range(0)));
  }
  state.counters["plain"] = plain;
  state.counters["sharded"] = sharded;
  state.counters["ratio"] = static_cast<double>(sharded) / plain;
}

BENCHMARK(PutUnderHotKey)->RangeMultiplier(2)->Range(1, 64)->Iterations(kTurns)->UseRealTime();
BENCHMARK(UpdateHotItem)->RangeMultiplier(2)->Range(1, 64)->Iterations(kTurns)->UseRealTime();
BENCHMARK(QueryHotKey)->Arg(1)->Arg(10)->Arg(100)->Iterations(kTurns);
BENCHMARK(Admitted)->Arg(2)->Arg(4)->Arg(10)->Iterations(1);

}  // namespace
}  // namespace dynolith
