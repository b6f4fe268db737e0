// Decisions of the model of partitions and capacity: asking and charging, one access of a random
// key each, on tables with few and many partitions, admitted and refused; and what it costs to
// count accesses and to watch their keys.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "engine/partition/table_use.h"
#include "engine/partition/throughput_model.h"

namespace dynolith {
namespace {

// Positions with the hash of a random key and a sort key of 8 bytes.
std::vector<std::string> Positions() {
  std::mt19937_64 random(1);
  std::vector<std::string> positions(4096);
  for (std::string& position : positions) {
    for (int i = 0; i < 16; ++i) position.push_back(static_cast<char>(random()));
  }
  return positions;
}

// Arguments: partitions, accesses a second for each unit a second of the table.
void Decide(benchmark::State& state) {
  const int64_t partitions = state.range(0);
  const int64_t load = state.range(1);
  const int64_t units = partitions * kPartitionWriteUnits;
  CapacitySettings settings;
  settings.table_quota = {10 * units, 10 * units};
  ThroughputModel model(settings, {.on_demand = true, .units = {3 * units, units}, .maximum = {}},
                        nullptr, 0);
  const std::vector<std::string> positions = Positions();
  int64_t refused = 0;
  int64_t i = 0;
  for (auto _ : state) {
    const std::string& key = positions[static_cast<size_t>(i) % positions.size()];
    const Micros now = i++ * kSecond / (units * load);
    if (model.Refusal(AccessKind::kWrite, key, now)) {
      ++refused;
      continue;
    }
    model.Charge(AccessKind::kWrite, {key, 8}, kTokensPerUnit, now);
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["refused"] =
      benchmark::Counter(static_cast<double>(refused) / static_cast<double>(state.iterations()));
}
BENCHMARK(Decide)->ArgNames({"partitions", "load"})->ArgsProduct({{4, 100, 1000}, {1, 3}});

// Argument: accesses of so many keys, one after the other; 0: keys are not watched, only units are
// counted.
void Watch(benchmark::State& state) {
  TableUse use({.counts = true});
  if (state.range(0) > 0) use.WatchKeys({{1, KeyWatchMode::kAccessedAndThrottled}});
  const std::vector<std::string> positions = Positions();
  const auto keys = static_cast<size_t>(std::max<int64_t>(1, state.range(0)));
  ThroughputUse access;
  access.id = 1;
  access.tokens = kTokensPerUnit;
  size_t i = 0;
  for (auto _ : state) {
    const std::string& key = positions[i++ % keys];
    access.named_key = key;
    access.partition_key_bytes = state.range(0) > 0 ? 8 : 0;
    access.item_bytes = key.size();
    use.AddCharges({&access, 1}, kMinute);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(Watch)->ArgName("keys")->Arg(0)->Arg(16)->Arg(4096);

}  // namespace
}  // namespace dynolith
