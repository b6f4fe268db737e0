// The lab's simulator: operations a second on one core, keys and record included, by how their
// keys come.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/base/strings.h"
#include "tools/lab/experiment/experiment_file.h"
#include "tools/lab/load/key_generator.h"
#include "tools/lab/model/simulation.h"
#include "tools/server/trace/trace_format.h"

namespace dynolith::lab {
namespace {

// As a test it only has to run.
int SecondsOfRun() { return std::getenv("DYNOLITH_BENCH_SIZE") == nullptr ? 20 : 1; }
int64_t OperationsOfReplay() {
  return std::getenv("DYNOLITH_BENCH_SIZE") == nullptr ? 4'000'000 : 10'000;
}

constexpr std::string_view kTable = R"(
[[table]]
name = "t"
partition_key = "pk"
sort_key = "sk"
item_size = 300
warm = { read = 3_000_000, write = 1_000_000 }
)";

// `trace`: what every other file holds; empty: there are none.
void RunText(benchmark::State& state, const std::string& text, const std::string& trace) {
  const auto experiments = ParseExperiment("bench.toml", text, [&](const std::string& path) {
    return trace.empty() ? absl::NotFoundError(path) : absl::StatusOr<std::string>(trace);
  });
  if (!experiments.ok()) return state.SkipWithError(experiments.status().ToString().c_str());
  uint64_t decisions = 0;
  for (auto _ : state) {
    decisions += Simulate(experiments->front(), [](const RunProgress&) { return true; }).decisions;
  }
  state.SetItemsProcessed(static_cast<int64_t>(decisions));
}

void Run(benchmark::State& state, std::string_view access) {
  RunText(state,
          Concat("[experiment]\nduration = ", SecondsOfRun(), kTable, "[load]\nrate = 100_000\n",
                 access),
          "");
}

// One after the other, a thousand a second.
std::string TraceOfWrites(int64_t requests, uint64_t keys) {
  constexpr int64_t kRequestsOfBlock = 1'000;
  std::string file = trace::EncodeHeader({.run = 1});
  trace::Block block;
  block.resources.emplace_back().table = "t";
  block.resources.back().key.hash = {{"pk", Type::kString}};
  uint64_t random = 1;
  for (int64_t i = 0; i < requests; ++i) {
    trace::Request& request = block.requests.emplace_back();
    request.at = i * 1'000;
    request.operation = trace::Operation::kPutItem;
    request.uses.push_back({.kind = AccessKind::kWrite,
                            .half_units = 2,
                            .bytes = 300,
                            .hash = Scrambled(NextBelow(&random, keys)),
                            .has_key = true});
    if ((i + 1) % kRequestsOfBlock != 0) continue;
    trace::EncodeBlock(block, /*plain=*/false, &file);
    block.requests.clear();
  }
  return file;
}

void OneKey(benchmark::State& state) {
  Run(state,
      "[[access]]\nname = \"a\"\noperation = \"PutItem\"\n"
      "key.pk = { distribution = \"list\", values = [\"a\"] }\n");
}
void Uniform(benchmark::State& state) {
  Run(state, Concat("[[access]]\nname = \"a\"\noperation = \"GetItem\"\nkey.pk = { distribution = "
                    "\"uniform\", count = ",
                    state.range(0), " }\n"));
}
void Zipfian(benchmark::State& state) {
  Run(state, Concat("[[access]]\nname = \"a\"\noperation = \"GetItem\"\nkey.pk = { distribution = "
                    "\"zipfian\", count = ",
                    state.range(0), " }\n"));
}
// Keys that never come again, so that each is hashed.
void NewKeys(benchmark::State& state) {
  Run(state,
      "[[access]]\nname = \"a\"\noperation = \"PutItem\"\n"
      "key.pk = { distribution = \"random\" }\n");
}
// A trace of 100,000 items that are written in 100 s, of 10,000 keys, by so many users.
void Replayed(benchmark::State& state) {
  const int64_t users = state.range(0);
  // Of all sizes the same number of operations: a user makes 1,000 a second.
  const double seconds =
      static_cast<double>(OperationsOfReplay()) / static_cast<double>(users) / 1e3;
  RunText(state,
          Concat("[experiment]\nduration = ", std::to_string(seconds),
                 "\n[replay]\nfile = \"t\"\nusers = ", users,
                 "\n[[table]]\nname = \"t\"\nwarm = { read = 3_000_000, write = 1_000_000 }\n"),
          TraceOfWrites(100'000, 10'000));
}
BENCHMARK(OneKey)->Unit(benchmark::kMillisecond);
BENCHMARK(Uniform)->Arg(10'000)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(Zipfian)->Arg(10'000)->Arg(1'000'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(NewKeys)->Unit(benchmark::kMillisecond);
BENCHMARK(Replayed)->Arg(100)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dynolith::lab
