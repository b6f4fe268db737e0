// Raw RocksDB: a column family per index against one family for all indexes with an id in front of
// the key. Figures and decision: index/README.md.
#include <benchmark/benchmark.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/store/rocks_types.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

int64_t Sized(int64_t count) { return std::getenv("DYNOLITH_BENCH_SIZE") ? 1 : count; }

void Check(const rocksdb::Status& status) {
  if (!status.ok()) std::abort();
}

// A database with so many families beside the default one.
class Families {
 public:
  explicit Families(int64_t count) {
    Open();
    std::vector<std::string> names;
    for (int64_t i = 0; i < count; ++i) names.push_back("index" + std::to_string(i));
    std::vector<rocksdb::ColumnFamilyHandle*> made;
    Check(db_->CreateColumnFamilies({}, names, &made));
    handles_.insert(handles_.end(), made.begin(), made.end());
  }
  Families(const Families&) = delete;
  Families& operator=(const Families&) = delete;
  ~Families() { Close(); }

  void Open() {
    rocksdb::DBOptions options;
    options.create_if_missing = true;
    options.info_log_level = rocksdb::InfoLogLevel::WARN_LEVEL;
    std::vector<std::string> names;
    if (!rocksdb::DB::ListColumnFamilies(options, folder_.path(), &names).ok()) {
      names = {rocksdb::kDefaultColumnFamilyName};
    }
    std::vector<rocksdb::ColumnFamilyDescriptor> families;
    for (const std::string& name : names) {
      families.emplace_back(name, rocksdb::ColumnFamilyOptions());
    }
    OpenedDatabase db{};
    Check(rocksdb::DB::Open(options, folder_.path(), families, &handles_, &db));
    db_ = std::unique_ptr<rocksdb::DB>(std::move(db));
  }
  void Close() {
    for (rocksdb::ColumnFamilyHandle* handle : handles_) {
      Check(db_->DestroyColumnFamilyHandle(handle));
    }
    handles_.clear();
    db_.reset();
  }
  rocksdb::DB* db() { return db_.get(); }

 private:
  testing::ScratchFolder folder_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
};

void BM_FamilyPerIndex_CreateAndDrop(benchmark::State& state) {
  Families families(Sized(state.range(0)));
  for (auto _ : state) {
    rocksdb::ColumnFamilyHandle* handle = nullptr;
    Check(families.db()->CreateColumnFamily({}, "fresh", &handle));
    Check(families.db()->DropColumnFamily(handle));
    Check(families.db()->DestroyColumnFamilyHandle(handle));
  }
}
BENCHMARK(BM_FamilyPerIndex_CreateAndDrop)
    ->Arg(10)
    ->Arg(100)
    ->Arg(1000)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// A fixed family: an index comes and goes with its metadata row.
void BM_FixedFamily_CreateAndDrop(benchmark::State& state) {
  Families families(1);
  for (auto _ : state) {
    Check(families.db()->Put({}, "fresh", std::string(500, 'm')));
    Check(families.db()->Delete({}, "fresh"));
  }
}
BENCHMARK(BM_FixedFamily_CreateAndDrop)->UseRealTime()->Unit(benchmark::kMillisecond);

void BM_FamilyPerIndex_Open(benchmark::State& state) {
  Families families(Sized(state.range(0)));
  for (auto _ : state) {
    state.PauseTiming();
    families.Close();
    state.ResumeTiming();
    families.Open();
  }
}
BENCHMARK(BM_FamilyPerIndex_Open)
    ->Arg(5)
    ->Arg(100)
    ->Arg(1000)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dynolith
