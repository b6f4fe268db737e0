// One hot partition key of a global index, which is in one range or in shards, in turns in one run:
// what puts under it cost with 1 to 16 threads, what a page of it costs, and how many puts a second
// enforced capacity lets through. `ratio` is the sharded side over the plain one: of times, but of
// `Admitted` of puts.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/require.h"
#include "dynolith/database.h"

namespace dynolith {
namespace {

const bool kAsTest = std::getenv("DYNOLITH_BENCH_SIZE") != nullptr;
const int kItems = kAsTest ? 100 : 20'000;
const int kPutsPerTurn = kAsTest ? 16 : 4'000;  // of all threads
constexpr int kShards = 10;

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

// Runs a turn of each side until the benchmark ends.
void Compare(benchmark::State& state, const std::function<void(Database*, int)>& run_turn) {
  using Seconds = std::chrono::duration<double>;
  const std::unique_ptr<Database> sides[] = {Filled(1), Filled(kShards)};
  Seconds seconds[2] = {};
  int turn = 0;
  for (auto _ : state) {
    for (const int side : {0, 1}) {
      const auto start = std::chrono::steady_clock::now();
      run_turn(sides[side].get(), turn);
      seconds[side] += Seconds(std::chrono::steady_clock::now() - start);
    }
    ++turn;
  }
  state.counters["ratio"] = seconds[1] / seconds[0];
}

// New items, all under the hot key.
void PutItem(benchmark::State& state) {
  const auto threads = static_cast<int>(state.range(0));
  const int puts = kPutsPerTurn / threads;
  Compare(state, [&](Database* database, int turn) {
    const auto write = [&](int thread) {
      const int first = kItems + (turn * threads + thread) * puts;
      for (int i = 0; i < puts; ++i) Require(Put(database, first + i).ok(), "put");
    };
    std::vector<std::thread> others;
    for (int thread = 1; thread < threads; ++thread) others.emplace_back(write, thread);
    write(0);
    for (std::thread& other : others) other.join();
  });
}

void Query(benchmark::State& state) {
  QueryRequest request{.table_name = "bench", .index_name = "by-g"};
  request.key_condition_expression = "g = :g";
  request.expression_attribute_values = Item{{":g", Value::S("hot")}};
  request.limit = state.range(0);
  Compare(state, [&request](Database* database, int) {
    int64_t items = 0;
    Require(database->Query(request, [&items](ItemView) { ++items; }).ok(), "query");
    benchmark::DoNotOptimize(items);
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

BENCHMARK(PutItem)->RangeMultiplier(2)->Range(1, 16)->UseRealTime();
BENCHMARK(Query)->Arg(1)->Arg(10)->Arg(100);
BENCHMARK(Admitted)->Arg(2)->Arg(4)->Arg(10)->Iterations(1);

}  // namespace
}  // namespace dynolith
