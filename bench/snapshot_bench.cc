// States of a database in memory to go back to, with 100,000 items of 200 bytes in it
// (DYNOLITH_BENCH_ITEMS=N: N), and a database from nothing. Medians of 15 turns, in milliseconds;
// each turn writes 1,000 items before it goes back. In a folder, too.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bench/median.h"
#include "bench/require.h"
#include "dynolith/restorable_database.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

using Clock = std::chrono::steady_clock;

const bool kSmall = std::getenv("DYNOLITH_BENCH_SIZE") != nullptr;
const char* const kItemsAsked = std::getenv("DYNOLITH_BENCH_ITEMS");
const int kItems = kItemsAsked != nullptr ? std::atoi(kItemsAsked) : kSmall ? 100 : 100'000;
const int kTurns = kSmall ? 1 : 15;
const int kWritten = kSmall ? 10 : 1'000;
// Beside each other.
const int kDatabases = kSmall ? 3 : 2'000;

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

void CreateTable(Database* database) {
  Require(database
              ->CreateTable({.table_name = "items",
                             .attribute_definitions = {{{"pk"}}},
                             .key_schema = {{{"pk"}}},
                             .billing_mode = BillingMode::kPayPerRequest})
              .ok(),
          "CreateTable");
}

void PutItems(Database* database, int first, int count) {
  const std::string text(180, 'x');
  for (int i = first; i < first + count; ++i) {
    Require(database
                ->PutItem({.table_name = "items",
                           .item = {{"pk", Value::S("item" + std::to_string(i))},
                                    {"text", Value::S(text)}}})
                .ok(),
            "PutItem");
  }
}

std::unique_ptr<RestorableDatabase> Filled(const RestorableOptions& options) {
  auto database = RestorableDatabase::Open(options);
  Require(database.ok(), "Open");
  Require((*database)->TakeSnapshot("empty").ok(), "TakeSnapshot");
  const auto state = (*database)->Use();
  CreateTable(state->database());
  PutItems(state->database(), 0, kItems);
  return *std::move(database);
}

// `options`: where.
void Restores(benchmark::State& state, const RestorableOptions& options) {
  const auto database = Filled(options);
  std::vector<double> snapshot;
  std::vector<double> restore;
  std::vector<double> to_empty;
  for (auto _ : state) {
    for (int turn = 0; turn < kTurns; ++turn) {
      auto start = Clock::now();
      Require(database->TakeSnapshot("full").ok(), "TakeSnapshot");
      snapshot.push_back(MillisecondsSince(start));
      PutItems(database->Use()->database(), turn * 7919 % kItems, kWritten);
      start = Clock::now();
      Require(database->Restore("full").ok(), "Restore");
      restore.push_back(MillisecondsSince(start));
      start = Clock::now();
      Require(database->Restore("empty").ok(), "Restore");
      to_empty.push_back(MillisecondsSince(start));
      Require(database->Restore("full").ok(), "Restore");
    }
  }
  state.counters["snapshot_ms"] = Median(snapshot);
  state.counters["restore_ms"] = Median(restore);
  state.counters["to_empty_ms"] = Median(to_empty);
}

void RestoreInMemory(benchmark::State& state) {
  Restores(state, {.database = {.in_memory = true}});
}
BENCHMARK(RestoreInMemory)->Iterations(1)->Unit(benchmark::kMillisecond);

void RestoreInFolder(benchmark::State& state) {
  const testing::ScratchFolder folder;
  Restores(state, {.database = {.path = folder / "data"}});
}
BENCHMARK(RestoreInFolder)->Iterations(1)->Unit(benchmark::kMillisecond);

void ForkInMemory(benchmark::State& state) {
  const auto database = Filled({.database = {.in_memory = true}});
  std::vector<double> times;
  for (auto _ : state) {
    for (int turn = 0; turn < kTurns; ++turn) {
      const auto start = Clock::now();
      const auto fork = database->Fork("", {});
      times.push_back(MillisecondsSince(start));
      Require(fork.ok(), "Fork");
    }
  }
  state.counters["ms"] = Median(times);
}
BENCHMARK(ForkInMemory)->Iterations(1)->Unit(benchmark::kMillisecond);

// Each with a table and an item, all at once.
void ManyInMemory(benchmark::State& state) {
  std::vector<double> opened;
  std::vector<double> closed;
  for (auto _ : state) {
    std::vector<std::unique_ptr<RestorableDatabase>> databases;
    for (int i = 0; i < kDatabases; ++i) {
      const auto start = Clock::now();
      auto database = RestorableDatabase::Open({.database = {.in_memory = true}});
      opened.push_back(MillisecondsSince(start));
      Require(database.ok(), "Open");
      CreateTable((*database)->Use()->database());
      PutItems((*database)->Use()->database(), i, 1);
      databases.push_back(*std::move(database));
    }
    while (!databases.empty()) {
      const auto start = Clock::now();
      databases.pop_back();
      closed.push_back(MillisecondsSince(start));
    }
  }
  state.counters["open_ms"] = Median(opened);
  state.counters["close_ms"] = Median(closed);
}
BENCHMARK(ManyInMemory)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dynolith
