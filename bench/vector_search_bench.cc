// SearchVectors of 100,000 vectors of 384 dimensions on disk, beside the same distances over floats
// that lie side by side in memory, in one run: what looking at every entry costs.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bench/require.h"
#include "dynolith/database.h"
#include "index/vector.h"
#include "tests/unit/store/scratch_folder.h"

namespace dynolith {
namespace {

const int kItems = std::getenv("DYNOLITH_BENCH_SIZE") != nullptr ? 100 : 100'000;
constexpr int kDimensions = 384;
constexpr int kTenants = 100;

std::string Tenant(int i) { return "tenant" + std::to_string(i % kTenants); }

class Vectors {
 public:
  Vectors() {
    auto database =
        Database::Open({.path = folder_.path(), .block_cache_bytes = size_t{512} << 20});
    Require(database.ok(), "database");
    database_ = *std::move(database);
    CreateTable();
    for (int i = 0; i < kItems; ++i) Put(i);
  }

  Database& database() { return *database_; }
  const std::string& packed() const { return packed_; }

  SearchVectorsRequest Request(const std::string& index) {
    return {.table_name = "bench", .index_name = index, .search_vector = Next(), .top_k = 10};
  }

  std::vector<float> Next() {
    std::vector<float> vector(kDimensions);
    for (float& number : vector) number = normal_(random_);
    return vector;
  }

 private:
  void CreateTable() {
    using KeyType = KeyType;
    CreateTableRequest table{.table_name = "bench"};
    table.billing_mode = BillingMode::kPayPerRequest;
    table.key_schema = {{{"pk", KeyType::kHash}}};
    table.attribute_definitions = {{{"pk", Type::kString}, {"tenant", Type::kString}}};
    VectorIndex whole{.index_name = "whole",
                      .vector_attribute = "v",
                      .projection = {ProjectionType::kKeysOnly},
                      .dimensions = kDimensions};
    VectorIndex divided = whole;
    divided.index_name = "divided";
    divided.search_schema = {{{"tenant", SearchSchemaElementType::kHash}}};
    table.vector_indexes = {{whole, divided}};
    Require(database_->CreateTable(table).ok(), "table");
  }

  void Put(int i) {
    ItemBuilder vector;
    std::string packed(kDimensions * sizeof(float), '\0');
    const std::vector<float> numbers = Next();
    std::memcpy(packed.data(), numbers.data(), packed.size());
    UnpackVector(packed, &vector);
    packed_ += packed;
    const auto put = database_->PutItem({.table_name = "bench",
                                         .item = {{"pk", Value::S(std::to_string(i))},
                                                  {"tenant", Value::S(Tenant(i))},
                                                  {"v", vector.FinishValue()}}});
    Require(put.ok(), "put");
  }

  testing::ScratchFolder folder_;
  std::unique_ptr<Database> database_;
  std::string packed_;
  std::mt19937 random_{1};
  std::normal_distribution<float> normal_;
};

Vectors& Shared() {
  static Vectors vectors;
  return vectors;
}

void BM_SearchWholeIndex(benchmark::State& state) {
  Vectors& vectors = Shared();
  for (auto _ : state) {
    const auto found = vectors.database().SearchVectors(vectors.Request("whole"));
    Require(found.ok() && found->search_results.size() == 10, "search");
  }
}
BENCHMARK(BM_SearchWholeIndex)->Unit(benchmark::kMillisecond);

// One hundredth of the vectors.
void BM_SearchOneHashValue(benchmark::State& state) {
  Vectors& vectors = Shared();
  int i = 0;
  for (auto _ : state) {
    SearchVectorsRequest request = vectors.Request("divided");
    request.search_condition_expression = "tenant = :t";
    request.expression_attribute_values = Item{{":t", Value::S(Tenant(i++))}};
    const auto found = vectors.database().SearchVectors(request);
    Require(found.ok() && !found->search_results.empty(), "search");
  }
}
BENCHMARK(BM_SearchOneHashValue)->Unit(benchmark::kMillisecond);

void BM_DistancesInMemory(benchmark::State& state) {
  Vectors& vectors = Shared();
  for (auto _ : state) {
    const VectorScorer scorer(DistanceFunction::kCosine, vectors.Next());
    double nearest = 2;
    for (size_t at = 0; at < vectors.packed().size(); at += PackedVectorBytes(kDimensions)) {
      const double score = scorer.Score(std::string_view(vectors.packed()).substr(at));
      if (scorer.IsNearer(score, nearest)) nearest = score;
    }
    benchmark::DoNotOptimize(nearest);
  }
}
BENCHMARK(BM_DistancesInMemory)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dynolith
