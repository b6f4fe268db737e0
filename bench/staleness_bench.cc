// What reads of an older state cost: GetItem, and PutItem that keeps moments for them, beside the
// same on a database without any rule, in turns in one run. `ratio` is the time with the rule over
// the time without.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

#include "bench/bench_table.h"
#include "bench/require.h"
#include "dynolith/database.h"

namespace dynolith {
namespace {

const bool kAsTest = std::getenv("DYNOLITH_BENCH_SIZE") != nullptr;
const int kItems = kAsTest ? 100 : 100'000;
const int kBatch = kAsTest ? 1 : 100;  // operations between two changes of side

std::string Pk(int i) { return "user#" + std::to_string(i); }

std::unique_ptr<Database> Filled(StalenessOptions staleness) {
  auto database = Database::Open({.in_memory = true, .staleness = std::move(staleness)});
  Require(database.ok(), "database");
  CreateBenchTable(database->get());
  for (int i = 0; i < kItems; ++i) {
    Require((*database)
                ->PutItem({.table_name = "bench",
                           .item = {{"pk", Value::S(Pk(i))},
                                    {"caption", Value::S(std::string(150, 'a'))}}})
                .ok(),
            "item");
  }
  return *std::move(database);
}

using Operation = std::function<bool(Database*, int)>;

bool Get(Database* database, int i) {
  bool found = false;
  return database
      ->GetItem({.table_name = "bench", .key = {{"pk", Value::S(Pk(i))}}},
                [&found](ItemView) { found = true; })
      .ok();
}
bool Put(Database* database, int i) {
  return database
      ->PutItem({.table_name = "bench",
                 .item = {{"pk", Value::S(Pk(i))}, {"caption", Value::S(std::string(150, 'b'))}}})
      .ok();
}

void Compare(benchmark::State& state, const StalenessRule& rule, const Operation& operation) {
  using Seconds = std::chrono::duration<double>;
  const std::unique_ptr<Database> plain = Filled({});
  const std::unique_ptr<Database> stale = Filled({.rules = {rule}});
  Seconds seconds[2] = {};
  int i = 0;
  for (auto _ : state) {
    for (const bool ruled : {false, true}) {
      Database* const database = ruled ? stale.get() : plain.get();
      const auto start = std::chrono::steady_clock::now();
      for (int turn = 0; turn < kBatch; ++turn) {
        Require(operation(database, (i + turn * 7919) % kItems), "operation");
      }
      seconds[ruled] += Seconds(std::chrono::steady_clock::now() - start);
    }
    i += kBatch;
  }
  state.counters["ratio"] = seconds[1] / seconds[0];
  state.counters["ns"] =
      1e9 * seconds[1].count() / static_cast<double>(state.iterations() * kBatch);
}

StalenessRule MakeRule(Staleness kind, bool monotonic = false) {
  return {.kind = kind, .bound = absl::Milliseconds(200), .monotonic = monotonic};
}

void GetItemFixed(benchmark::State& state) { Compare(state, MakeRule(Staleness::kFixed), Get); }
void GetItemRandom(benchmark::State& state) { Compare(state, MakeRule(Staleness::kRandom), Get); }
void GetItemMonotonic(benchmark::State& state) {
  Compare(state, MakeRule(Staleness::kRandom, /*monotonic=*/true), Get);
}
void GetItemHeld(benchmark::State& state) { Compare(state, {.kind = Staleness::kHeld}, Get); }
void PutItemFixed(benchmark::State& state) { Compare(state, MakeRule(Staleness::kFixed), Put); }

BENCHMARK(GetItemFixed);
BENCHMARK(GetItemRandom);
BENCHMARK(GetItemMonotonic);
BENCHMARK(GetItemHeld);
BENCHMARK(PutItemFixed);

}  // namespace
}  // namespace dynolith
