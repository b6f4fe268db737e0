// What tables cost: creating and dropping one among many, opening a store of many, and looking one
// up. Figures: engine/catalog/README.md.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "engine/catalog/catalog.h"
#include "engine/store/local_store.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

constexpr int kIndexesPerTable = 5;

// The count, or 1 when the benchmarks run as a test.
int64_t Sized(int64_t count) { return std::getenv("DYNOLITH_BENCH_SIZE") ? 1 : count; }

TableMeta MakeMeta(const std::string& name) {
  TableMeta meta;
  meta.schema.name = name;
  meta.schema.key = {{{"pk", Type::kString}}, {{"sk", Type::kString}}};
  meta.attribute_definitions = {{"pk", Type::kString}, {"sk", Type::kString}};
  meta.uuid = "01234567-89ab-cdef-0123-456789abcdef";
  for (int i = 0; i < kIndexesPerTable; ++i) {
    IndexSchema& index = meta.schema.indexes.emplace_back();
    index.name = "index" + std::to_string(i);
    index.key = {{{"hash" + std::to_string(i), Type::kString}},
                 {{"range" + std::to_string(i), Type::kNumber}}};
    meta.attribute_definitions.push_back(index.key.hash[0]);
    meta.attribute_definitions.push_back(index.key.range[0]);
    meta.index_states.emplace_back();
  }
  return meta;
}

// A store on disk with so many tables.
class Tables {
 public:
  explicit Tables(int64_t count) {
    Open();
    for (int64_t i = 0; i < count; ++i) {
      if (!catalog_->Create(MakeMeta("table" + std::to_string(i))).ok()) std::abort();
    }
  }
  Tables(const Tables&) = delete;
  Tables& operator=(const Tables&) = delete;

  void Open() {
    StoreOptions options;
    options.path = folder_.path();
    auto store = LocalStore::Open(options);
    if (!store.ok()) std::abort();
    store_ = *std::move(store);
    auto catalog = Catalog::Load(store_.get());
    if (!catalog.ok()) std::abort();
    catalog_ = *std::move(catalog);
  }
  void Close() {
    catalog_.reset();
    store_.reset();
  }
  Catalog& catalog() { return *catalog_; }

 private:
  testing::ScratchFolder folder_;
  std::unique_ptr<LocalStore> store_;
  std::unique_ptr<Catalog> catalog_;
};

// What the program has allocated and not freed.
double HeapMegabytes() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks + info.hblkhd) / (1 << 20);
}

void BM_CreateAndDropTable(benchmark::State& state) {
  Tables tables(Sized(state.range(0)));
  for (auto _ : state) {
    if (!tables.catalog().Create(MakeMeta("fresh")).ok()) std::abort();
    if (!tables.catalog().Drop("fresh").ok()) std::abort();
  }
}
BENCHMARK(BM_CreateAndDropTable)
    ->Arg(10)
    ->Arg(100)
    ->Arg(2500)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void BM_OpenStoreOfTables(benchmark::State& state) {
  const double before = HeapMegabytes();
  Tables tables(Sized(state.range(0)));
  for (auto _ : state) {
    state.PauseTiming();
    tables.Close();
    state.ResumeTiming();
    tables.Open();
  }
  state.counters["heap_MB"] = HeapMegabytes() - before;
}
BENCHMARK(BM_OpenStoreOfTables)->Arg(1)->Arg(2500)->UseRealTime()->Unit(benchmark::kMillisecond);

std::unique_ptr<Tables> shared_tables;

void BM_FindTable(benchmark::State& state) {
  if (state.thread_index() == 0) shared_tables = std::make_unique<Tables>(Sized(2500));
  for (auto _ : state) {
    benchmark::DoNotOptimize(shared_tables->catalog().Find("table0"));
  }
  if (state.thread_index() == 0) shared_tables.reset();
}
BENCHMARK(BM_FindTable)->Threads(1)->Threads(2)->UseRealTime();

void BM_TableMeta(benchmark::State& state) {
  if (state.thread_index() == 0) shared_tables = std::make_unique<Tables>(1);
  std::shared_ptr<Table> table;
  for (auto _ : state) {
    if (table == nullptr) table = shared_tables->catalog().Find("table0");
    benchmark::DoNotOptimize(table->meta());
  }
  if (state.thread_index() == 0) shared_tables.reset();
}
BENCHMARK(BM_TableMeta)->Threads(1)->Threads(2)->UseRealTime();

}  // namespace
}  // namespace dynolith
