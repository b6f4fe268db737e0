// The lab's simulator: operations a second on one core, keys and record included, by how their
// keys come.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/base/strings.h"
#include "tools/lab/experiment_file.h"
#include "tools/lab/simulation.h"

namespace dynolith::lab {
namespace {

// As a test it only has to run.
int SecondsOfRun() { return std::getenv("DYNOLITH_BENCH_SIZE") == nullptr ? 20 : 1; }

constexpr std::string_view kTable = R"(
[[table]]
name = "t"
partition_key = "pk"
sort_key = "sk"
item_size = 300
warm = { read = 3_000_000, write = 1_000_000 }
)";

void Run(benchmark::State& state, std::string_view access) {
  const std::string text = Concat("[experiment]\nduration = ", SecondsOfRun(), kTable,
                                  "[load]\nrate = 100_000\n", access);
  const auto experiments = ParseExperiment("bench.toml", text, [](const std::string& path) {
    return absl::StatusOr<std::string>(absl::NotFoundError(path));
  });
  if (!experiments.ok()) return state.SkipWithError(experiments.status().ToString().c_str());
  uint64_t decisions = 0;
  for (auto _ : state) {
    decisions += Simulate(experiments->front(), [](const RunProgress&) { return true; }).decisions;
  }
  state.SetItemsProcessed(static_cast<int64_t>(decisions));
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
BENCHMARK(OneKey)->Unit(benchmark::kMillisecond);
BENCHMARK(Uniform)->Arg(10'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(Zipfian)->Arg(10'000)->Arg(10'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(NewKeys)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dynolith::lab
