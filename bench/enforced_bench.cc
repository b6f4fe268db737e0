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
const char* const kTables[] = {"counting", "enforcing"};

PutItemRequest PutOf(const char* table, int i, int turn) {
  std::string caption = std::to_string(turn);
  caption.resize(150, 'x');
  return {.table_name = table, .item = {{"pk", Value::S(Pk(i))}, {"caption", Value::S(caption)}}};
}

// Of this thread: others on the machine do not count.
double ProcessorNanoseconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

// Both tables in one database: two of them would differ by where their rows are.
std::unique_ptr<Database> Filled() {
  auto database = Database::Open({.in_memory = true});
  Require(database.ok(), "database");
  for (const char* const table : kTables) {
    Require((*database)
                ->CreateTable({.table_name = table,
                               .attribute_definitions = {{{"pk"}}},
                               .key_schema = {{{"pk"}}},
                               .billing_mode = BillingMode::kPayPerRequest})
                .ok(),
            "table");
  }
  Require((*database)->SetCapacity(kTables[1], kEnough).ok(), "capacity");
  for (int i = 0; i < kItems; ++i) {
    for (const char* const table : kTables) {
      Require((*database)->PutItem(PutOf(table, i, 0)).ok(), "item");
    }
  }
  return *std::move(database);
}

using Call = std::function<bool(Database*, const char* table, int item, int turn)>;

double Median(std::vector<double>* values) {
  const auto middle = values->begin() + static_cast<std::ptrdiff_t>(values->size() / 2);
  std::nth_element(values->begin(), middle, values->end());
  return *middle;
}

void CompareWithCounting(benchmark::State& state, const Call& call) {
  const std::unique_ptr<Database> database = Filled();
  std::vector<double> ratios;
  std::vector<double> more;
  int turn = 1;
  bool begins = false;
  for (auto _ : state) {
    double nanoseconds[2] = {};
    begins = !begins;
    for (const bool enforces : {begins, !begins}) {
      const char* const table = kTables[enforces];
      const double start = ProcessorNanoseconds();
      for (int i = turn; i < turn + kBatch; ++i) {
        Require(call(database.get(), table, static_cast<int>(i * 7919LL % kItems), i), "call");
      }
      nanoseconds[enforces] = ProcessorNanoseconds() - start;
    }
    turn += kBatch;
    ratios.push_back(nanoseconds[1] / nanoseconds[0]);
    more.push_back((nanoseconds[1] - nanoseconds[0]) / kBatch);
  }
  state.counters["ratio"] = Median(&ratios);
  state.counters["more_ns"] = Median(&more);
}

void EnforcedGetItem(benchmark::State& state) {
  CompareWithCounting(state, [](Database* database, const char* table, int i, int) {
    return database
        ->GetItem({.table_name = table, .key = {{"pk", Value::S(Pk(i))}}}, [](ItemView) {})
        .ok();
  });
}

void EnforcedPutItem(benchmark::State& state) {
  CompareWithCounting(state, [](Database* database, const char* table, int i, int turn) {
    return database->PutItem(PutOf(table, i, turn)).ok();
  });
}

// Both sides look for the item that was there, by which a write is charged.
void EnforcedPutItemThatReads(benchmark::State& state) {
  CompareWithCounting(state, [](Database* database, const char* table, int i, int turn) {
    PutItemRequest put = PutOf(table, i, turn);
    put.return_consumed_capacity = ReturnConsumedCapacity::kTotal;
    return database->PutItem(put).ok();
  });
}

BENCHMARK(EnforcedGetItem);
BENCHMARK(EnforcedPutItem);
BENCHMARK(EnforcedPutItemThatReads);

}  // namespace
}  // namespace dynolith
