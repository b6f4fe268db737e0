// What it costs to ask a table's buckets: GetItem and PutItem where capacity is enforced, and never
// refused, beside the same where it is only counted, in turns in one run, by the thread's own time.
// `ratio` is the median of one turn over the other, `more_ns` that of what an operation takes
// longer.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/require.h"
#include "dynolith/database.h"

namespace dynolith {
namespace {

const bool kAsTest = std::getenv("DYNOLITH_BENCH_SIZE") != nullptr;
const int kItems = kAsTest ? 100 : 10'000;
const int kBatch = kAsTest ? 1 : 100;  // operations between two changes of side
// More than one core asks for.
constexpr CapacityOptions kEnough = {.mode = CapacityMode::kGlobal, .scale = 1'000};

std::string Pk(int i) { return "user#" + std::to_string(i); }

// `turn`: what is put over an equal item is no write.
PutItemRequest PutOf(int i, int turn) {
  std::string caption = std::to_string(turn);
  caption.resize(150, 'x');
  return {.table_name = "bench", .item = {{"pk", Value::S(Pk(i))}, {"caption", Value::S(caption)}}};
}

// Of this thread: others on the machine do not count.
double ProcessorNanoseconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

std::unique_ptr<Database> FilledWith(const CapacityOptions& capacity) {
  auto database = Database::Open({.in_memory = true, .capacity = capacity});
  Require(database.ok(), "database");
  Require((*database)
              ->CreateTable({.table_name = "bench",
                             .attribute_definitions = {{{"pk"}}},
                             .key_schema = {{{"pk"}}},
                             .billing_mode = BillingMode::kPayPerRequest})
              .ok(),
          "table");
  for (int i = 0; i < kItems; ++i) Require((*database)->PutItem(PutOf(i, 0)).ok(), "item");
  return *std::move(database);
}

using Call = std::function<bool(Database*, int item, int turn)>;

double Median(std::vector<double>* values) {
  const auto middle = values->begin() + static_cast<std::ptrdiff_t>(values->size() / 2);
  std::nth_element(values->begin(), middle, values->end());
  return *middle;
}

void CompareWithCounting(benchmark::State& state, const Call& call) {
  const std::unique_ptr<Database> counting = FilledWith({});
  const std::unique_ptr<Database> enforcing = FilledWith(kEnough);
  std::vector<double> ratios;
  std::vector<double> more;
  int turn = 1;
  for (auto _ : state) {
    double nanoseconds[2] = {};
    for (const bool enforces : {false, true}) {
      Database* const database = enforces ? enforcing.get() : counting.get();
      const double start = ProcessorNanoseconds();
      for (int i = turn; i < turn + kBatch; ++i) {
        Require(call(database, static_cast<int>(i * 7919LL % kItems), i), "call");
      }
      nanoseconds[enforces] = ProcessorNanoseconds() - start;
    }
    ratios.push_back(nanoseconds[1] / nanoseconds[0]);
    more.push_back((nanoseconds[1] - nanoseconds[0]) / kBatch);
    turn += kBatch;
  }
  state.counters["ratio"] = Median(&ratios);
  state.counters["more_ns"] = Median(&more);
}

void EnforcedGetItem(benchmark::State& state) {
  CompareWithCounting(state, [](Database* database, int i, int) {
    return database
        ->GetItem({.table_name = "bench", .key = {{"pk", Value::S(Pk(i))}}}, [](ItemView) {})
        .ok();
  });
}

void EnforcedPutItem(benchmark::State& state) {
  CompareWithCounting(state, [](Database* database, int i, int turn) {
    return database->PutItem(PutOf(i, turn)).ok();
  });
}

// Both sides look for the item that was there, by which a write is charged.
void EnforcedPutItemThatReads(benchmark::State& state) {
  CompareWithCounting(state, [](Database* database, int i, int turn) {
    PutItemRequest put = PutOf(i, turn);
    put.return_consumed_capacity = ReturnConsumedCapacity::kTotal;
    return database->PutItem(put).ok();
  });
}

BENCHMARK(EnforcedGetItem);
BENCHMARK(EnforcedPutItem);
BENCHMARK(EnforcedPutItemThatReads);

}  // namespace
}  // namespace dynolith
