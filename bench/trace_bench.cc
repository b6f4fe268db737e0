// What tracing a request costs the thread that makes it, and what a record takes on disk.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/strings.h"
#include "engine/key/key_codec.h"
#include "engine/partition/random_numbers.h"
#include "engine/value/item.h"
#include "tools/server/trace/trace_recorder.h"

namespace dynolith::trace {
namespace {

// As many different ones as there are customers.
std::vector<std::string> RowKeys(const TableSchema& schema, int64_t count) {
  std::vector<std::string> row_keys;
  for (int64_t i = 0; i < count; ++i) {
    const Item key = {{"customer", Value::S(Concat("customer ", i * 7919 % count))},
                      {"order", Value::S(Concat("2026-11-23 order ", i))}};
    AppendRowKey(schema.id, schema.key, key.view(), &row_keys.emplace_back());
  }
  return row_keys;
}

// A put of an item of one table. The counters: bytes on disk of each; how many were dropped.
void TracedRequest(benchmark::State& state) {
  TableSchema schema;
  schema.name = "orders";
  schema.id = 1;
  schema.key = {.hash = {{"customer", Type::kString}}, .range = {{"order", Type::kString}}};
  const std::vector<std::string> row_keys = RowKeys(schema, state.range(0));
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / Concat("trace_bench_", getpid());
  std::filesystem::create_directories(folder);
  const std::string file = (folder / "t").string();
  uint64_t dropped = 0;
  {
    auto recorder = TraceRecorder::Start(
        {.files = {.file = file, .plain_keys = state.range(1) != 0, .bytes_max = int64_t{1} << 40},
         .fail = {},
         .buffer_bytes_max = size_t{1} << 30});
    if (!recorder.ok()) return state.SkipWithError(recorder.status().ToString().c_str());
    uint64_t random = 1;
    for (auto _ : state) {
      const std::string_view row_key = row_keys[NextRandom(&random) % row_keys.size()];
      ThroughputUse use;
      use.id = schema.id;
      use.kind = AccessKind::kWrite;
      use.tokens = kTokensPerUnit;
      use.item_size = 300;
      use.named_key = row_key.substr(sizeof(StorageId));
      use.partition_key_bytes =
          CollectionBytes(schema.key, /*is_table_key=*/true, row_key) - sizeof(StorageId);
      use.item_bytes = use.named_key.size();
      const ObservedAccess access = {
          .use = &use, .table = &schema, .on_demand = true, .units = {}, .limit = {}};
      const ObservedCall call(recorder->get(), "PutItem");
      (*recorder)->NoteAccesses({&access, 1});
    }
    dropped = (*recorder)->dropped();
  }
  const auto bytes = static_cast<double>(std::filesystem::file_size(file));
  state.counters["bytes"] = bytes / static_cast<double>(state.iterations());
  state.counters["dropped"] = static_cast<double>(dropped);
  std::filesystem::remove_all(folder);
}
// So many keys; hashed, or plain.
BENCHMARK(TracedRequest)
    ->ArgNames({"keys", "plain"})
    ->Args({100, 0})
    ->Args({100'000, 0})
    ->Args({100, 1})
    ->Args({100'000, 1});

}  // namespace
}  // namespace dynolith::trace
