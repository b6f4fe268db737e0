// Query of ten items of a few that are overwritten all the time, beside items that were written
// once, in turns: `ratio` is the median turn, `worst` the one of the 90th percentile. What makes it
// slower are versions that nobody sees any more, in memtables and in files of level 0: `skipped` is
// how many a query steps over, `sources` how many sorted runs it seeks in.
#include <benchmark/benchmark.h>
#include <rocksdb/perf_context.h>

#include <algorithm>
#include <chrono>
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
const int kOverwrites = kAsTest ? 400 : 640'000;
constexpr int kItemsOfUser = 100;
const int kQueries = kAsTest ? 2 : 100;  // of each side in a turn
const int kOverwritesOfTurn = kAsTest ? 100 : 2'000;

std::string UserName(int i) { return "user#" + std::to_string(i / kItemsOfUser); }

void Put(Database* database, int i, int version) {
  Require(database
              ->PutItem({.table_name = "bench",
                         .item = {{"pk", Value::S(UserName(i))},
                                  {"sk", Value::N(i % kItemsOfUser)},
                                  {"version", Value::N(version)},
                                  {"caption", Value::S(std::string(150, 'a'))}}})
              .ok(),
          "put");
}

std::unique_ptr<Database> Filled(const DatabaseOptions& options, int items) {
  auto database = Database::Open(options);
  Require(database.ok(), "database");
  CreateBenchTable(database->get(), /*has_sort_key=*/true);
  for (int i = 0; i < items; ++i) Put(database->get(), i, 0);
  return *std::move(database);
}

double NanosecondsOfQuery(Database* database, const std::vector<int>& picks) {
  const auto start = std::chrono::steady_clock::now();
  for (const int pick : picks) {
    QueryRequest query{.table_name = "bench"};
    query.key_condition_expression = "pk = :pk AND sk >= :sk";
    query.expression_attribute_values = {{":pk", Value::S(UserName(pick))},
                                         {":sk", Value::N(pick % (kItemsOfUser - 10))}};
    query.limit = 10;
    Require(database->Query(query, [](ItemView) {}).ok(), "query");
  }
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
             .count() /
         static_cast<double>(picks.size());
}

void Compare(benchmark::State& state, bool in_memory) {
  const int items = static_cast<int>(state.range(0));
  const testing::ScratchFolder folder;
  const auto fresh = Filled({.path = folder / "fresh", .in_memory = in_memory}, items);
  const auto overwritten = Filled({.path = folder / "overwritten", .in_memory = in_memory}, items);
  std::mt19937_64 random(1);
  const auto pick = [&] { return static_cast<int>(random() % static_cast<uint64_t>(items)); };
  rocksdb::PerfContext& work = *rocksdb::get_perf_context();
  double skipped = 0;
  double sources = 0;
  std::vector<double> ratios;
  std::vector<double> nanoseconds[2];
  for (auto _ : state) {
    for (int done = 0; done < kOverwrites; done += kOverwritesOfTurn) {
      for (int i = 0; i < kOverwritesOfTurn; ++i) Put(overwritten.get(), pick(), done);
      std::vector<int> picks(static_cast<size_t>(kQueries));
      std::generate(picks.begin(), picks.end(), pick);
      const double plain = NanosecondsOfQuery(fresh.get(), picks);
      const double slower = NanosecondsOfQuery(overwritten.get(), picks);
      nanoseconds[0].push_back(plain);
      nanoseconds[1].push_back(slower);
      ratios.push_back(slower / plain);
      work.Reset();
      NanosecondsOfQuery(overwritten.get(), picks);
      skipped += static_cast<double>(work.internal_key_skipped_count);
      sources += static_cast<double>(work.seek_child_seek_count);
    }
  }
  std::sort(ratios.begin(), ratios.end());
  const auto queries = static_cast<double>(ratios.size()) * kQueries;
  state.counters["ratio"] = Median(ratios);
  state.counters["worst"] = ratios[ratios.size() * 9 / 10];
  state.counters["skipped"] = skipped / queries;
  state.counters["sources"] = sources / queries;
  state.counters["fresh_ns"] = Median(nanoseconds[0]);
  state.counters["overwritten_ns"] = Median(nanoseconds[1]);
}

void QueryOverwrittenOnDisk(benchmark::State& state) { Compare(state, /*in_memory=*/false); }
void QueryOverwrittenInMemory(benchmark::State& state) { Compare(state, /*in_memory=*/true); }

BENCHMARK(QueryOverwrittenOnDisk)->Arg(100)->Arg(2'000)->Arg(20'000)->Arg(200'000)->Iterations(1);
BENCHMARK(QueryOverwrittenInMemory)->Arg(20'000)->Iterations(1);

}  // namespace
}  // namespace dynolith
