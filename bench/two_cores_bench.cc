// What a second thread adds: one thread and two work in turns on one database in memory, each on
// keys of its own. `speedup` is the throughput of two threads over that of one, the median of the
// turns; 2 is all that there is, and on cores that others use as much as Nothing has, which shares
// nothing. `cost` is the processor's time of a call beside another thread over that of one alone,
// which tells more of contention there.
// RocksDB alone is measured in the same way.
#include <benchmark/benchmark.h>
#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <sched.h>
#include <time.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bench/bench_table.h"
#include "bench/median.h"
#include "bench/require.h"
#include "dynolith/database.h"
#include "engine/store/rocks_types.h"

namespace dynolith {
namespace {

const bool kAsTest = std::getenv("DYNOLITH_BENCH_SIZE") != nullptr;
const int kItems = kAsTest ? 2'000 : 100'000;
const int kTurn = kAsTest ? 10 : 5'000;  // calls of each thread
constexpr int kHotItems = 100;

Item MakeItem(int i, int version) {
  return {{"pk", Value::S("user#" + std::to_string(100'000 + i))},
          {"likes", Value::N(version)},
          {"caption", Value::S(std::string(150, static_cast<char>('a' + i % 26)))}};
}

Item MakeKey(int i) { return {{"pk", Value::S("user#" + std::to_string(100'000 + i))}}; }

Database& Shared() {
  static const std::unique_ptr<Database> database = [] {
    auto opened = Database::Open({.in_memory = true});
    Require(opened.ok(), "database");
    CreateBenchTable(opened->get());
    for (int i = 0; i < kItems; ++i) {
      const Item item = MakeItem(i, 0);
      Require((*opened)->PutItem({.table_name = "bench", .item = item}).ok(), "put");
    }
    return *std::move(opened);
  }();
  return *database;
}

// As evenly spread as the hash in front of a row's key.
std::string RawKey(int i) {
  const uint64_t hash = static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15;
  return std::string(reinterpret_cast<const char*>(&hash), sizeof hash) + std::to_string(i);
}

void PutRaw(rocksdb::DB* db, int i) {
  rocksdb::WriteOptions writing;
  writing.disableWAL = true;
  Require(db->Put(writing, RawKey(i), MakeItem(i, i).bytes()).ok(), "raw put");
}

// `call` gets the number of an item, which is even in one thread and odd in the other.
using Call = std::function<void(int item)>;

double ThreadSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// Where the machine has such a core for us. What moves a thread between two turns, or lets both
// begin on one core, is no contention.
void StayOnCore(size_t core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  static_cast<void>(sched_setaffinity(0, sizeof cores, &cores));
}

// Returns the seconds of the processor that it took.
double Work(const Call& call, int thread, int items, uint64_t seed) {
  const double start = ThreadSeconds();
  std::mt19937_64 random(seed);
  for (int i = 0; i < kTurn; ++i) {
    call(static_cast<int>(random() % static_cast<uint64_t>(items / 2)) * 2 + thread);
  }
  return ThreadSeconds() - start;
}

void RunInTurns(benchmark::State& state, int items, const Call& call) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> speedups;
  std::vector<double> costs;
  uint64_t seed = 1;
  StayOnCore(0);
  for (auto _ : state) {
    const auto start = Clock::now();
    const double cost_alone = Work(call, 0, items, ++seed);
    const auto middle = Clock::now();
    std::thread other([&] {
      StayOnCore(1);
      Work(call, 1, items, seed);
    });
    const double cost_beside = Work(call, 0, items, seed + 1);
    other.join();
    const std::chrono::duration<double> alone = middle - start;
    const std::chrono::duration<double> together = Clock::now() - middle;
    state.SetIterationTime((alone + together).count());
    speedups.push_back(2 * alone / together);
    costs.push_back(cost_beside / cost_alone);
  }
  state.counters["cost"] = Median(costs);
  state.counters["speedup"] = Median(speedups);
}

void Nothing(benchmark::State& state) {
  RunInTurns(state, kItems, [](int item) {
    auto number = static_cast<uint64_t>(item);
    for (int i = 0; i < 500; ++i) number = number * 6364136223846793005 + 1442695040888963407;
    benchmark::DoNotOptimize(number);
  });
}
BENCHMARK(Nothing)->UseManualTime();

// The same rows in RocksDB alone, in memory and without a log.
rocksdb::DB& Raw() {
  static const std::unique_ptr<rocksdb::Env> env(rocksdb::NewMemEnv(rocksdb::Env::Default()));
  static const std::unique_ptr<rocksdb::DB> raw = [] {
    rocksdb::BlockBasedTableOptions table;
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    rocksdb::Options options;
    options.create_if_missing = true;
    options.env = env.get();
    options.write_buffer_size = 16 << 20;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    OpenedDatabase db{};
    Require(rocksdb::DB::Open(options, "/raw", &db).ok(), "raw RocksDB");
    std::unique_ptr<rocksdb::DB> opened(std::move(db));
    for (int i = 0; i < kItems; ++i) PutRaw(opened.get(), i);
    return opened;
  }();
  return *raw;
}

void RawGet(benchmark::State& state) {
  Raw();
  RunInTurns(state, kItems, [](int item) {
    rocksdb::PinnableSlice value;
    rocksdb::DB& raw = Raw();
    Require(raw.Get({}, raw.DefaultColumnFamily(), RawKey(item), &value).ok(), "raw get");
  });
}
BENCHMARK(RawGet)->UseManualTime();

void RawPut(benchmark::State& state) {
  Raw();
  RunInTurns(state, kItems, [](int item) { PutRaw(&Raw(), item); });
}
BENCHMARK(RawPut)->UseManualTime();

void Get(int item) {
  const auto output =
      Shared().GetItem({.table_name = "bench", .key = MakeKey(item)},
                       [](ItemView found) { benchmark::DoNotOptimize(found.size()); });
  Require(output.ok(), "get");
}

void GetItem(benchmark::State& state) {
  Shared();
  RunInTurns(state, kItems, Get);
}
BENCHMARK(GetItem)->UseManualTime();

void GetItemHot(benchmark::State& state) {
  Shared();
  RunInTurns(state, kHotItems, Get);
}
BENCHMARK(GetItemHot)->UseManualTime();

void PutItem(benchmark::State& state) {
  Shared();
  RunInTurns(state, kItems, [](int item) {
    Require(Shared().PutItem({.table_name = "bench", .item = MakeItem(item, item)}).ok(), "put");
  });
}
BENCHMARK(PutItem)->UseManualTime();

// An item that is not there yet, and goes again.
void PutAndDeleteItem(benchmark::State& state) {
  Shared();
  RunInTurns(state, kItems, [](int item) {
    const int fresh = kItems + item;
    const Item put = MakeItem(fresh, fresh);
    Require(Shared().PutItem({.table_name = "bench", .item = put}).ok(), "put");
    Require(Shared().DeleteItem({.table_name = "bench", .key = MakeKey(fresh)}).ok(), "delete");
  });
}
BENCHMARK(PutAndDeleteItem)->UseManualTime();

void UpdateItem(benchmark::State& state) {
  Shared();
  RunInTurns(state, kItems, [](int item) {
    UpdateItemRequest update{.table_name = "bench", .key = MakeKey(item)};
    update.update_expression = "ADD likes :one";
    update.expression_attribute_values = Item{{":one", Value::N(1)}};
    Require(Shared().UpdateItem(update).ok(), "update");
  });
}
BENCHMARK(UpdateItem)->UseManualTime();

}  // namespace
}  // namespace dynolith
