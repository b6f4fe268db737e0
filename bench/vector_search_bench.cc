// SearchVectors of 100,000 vectors of 384 dimensions on disk, in one run: exact, through a graph,
// and the same distances over floats that lie side by side in memory. Random vectors, which are all
// about equally far from each other, and vectors in 1,000 clusters, as those that models make are.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "api/database/database_impl.h"
#include "bench/require.h"
#include "dynolith/database.h"
#include "index/graph/vector_graphs.h"
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
  explicit Vectors(bool clustered) {
    for (int i = 0; clustered && i < 1'000; ++i) centres_.push_back(Normal());
    Open(VectorSearch::kExact);
    CreateTable();
    for (int i = 0; i < kItems; ++i) Put(i);
  }

  Database& database() { return *database_; }

  void Open(VectorSearch search) {
    database_.reset();
    auto database = Database::Open({.path = folder_.path(),
                                    .block_cache_bytes = size_t{512} << 20,
                                    .vector_search = search,
                                    .vector_graph_entries = static_cast<size_t>(kItems) / 2});
    Require(database.ok(), "database");
    database_ = *std::move(database);
  }

  // Waits for the graph that the first search asks for.
  VectorGraphs* BuildGraph() {
    Open(VectorSearch::kApproximate);
    Require(database_->SearchVectors(Request("whole")).ok(), "search");
    VectorGraphs* const graphs = dynamic_cast<DatabaseImpl*>(database_.get())->vector_graphs();
    graphs->WaitUntilIdle();
    return graphs;
  }
  const std::string& packed() const { return packed_; }

  SearchVectorsRequest Request(const std::string& index) {
    return {.table_name = "bench", .index_name = index, .search_vector = Next(), .top_k = 10};
  }

  std::vector<float> Next() {
    std::vector<float> vector = Normal();
    if (centres_.empty()) return vector;
    const std::vector<float>& centre = centres_[random_() % centres_.size()];
    for (int i = 0; i < kDimensions; ++i) vector[i] = centre[i] + vector[i] / 2;
    return vector;
  }

 private:
  std::vector<float> Normal() {
    std::vector<float> vector(kDimensions);
    for (float& number : vector) number = normal_(random_);
    return vector;
  }

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
  std::vector<std::vector<float>> centres_;
};

Vectors& Shared() {
  static Vectors vectors(false);
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

std::vector<std::string> FoundKeys(const SearchVectorsOutput& found) {
  std::vector<std::string> keys;
  for (const SearchResult& result : found.search_results) {
    keys.emplace_back(result.item.view().Find("pk")->string());
  }
  return keys;
}

// Argument: whether the vectors are in clusters. recall: how many of the ten nearest were found.
void BM_SearchThroughGraph(benchmark::State& state) {
  const auto vectors = std::make_unique<Vectors>(state.range(0) != 0);
  constexpr int kSearches = 50;
  std::vector<SearchVectorsRequest> requests;
  std::vector<std::vector<std::string>> wanted;
  for (int i = 0; i < kSearches; ++i) {
    requests.push_back(vectors->Request("whole"));
    const auto found = vectors->database().SearchVectors(requests.back());
    Require(found.ok(), "search");
    wanted.push_back(FoundKeys(*found));
  }
  const absl::Time begin = absl::Now();
  VectorGraphs* const graphs = vectors->BuildGraph();
  state.counters["build_s"] = absl::ToDoubleSeconds(absl::Now() - begin);
  state.counters["graph_mb"] = static_cast<double>(graphs->bytes() >> 20);
  double hits = 0;
  double wants = 0;
  size_t i = 0;
  for (auto _ : state) {
    const auto found = vectors->database().SearchVectors(requests[i % kSearches]);
    Require(found.ok(), "search");
    const std::vector<std::string> keys = FoundKeys(*found);
    const std::vector<std::string>& right = wanted[i++ % kSearches];
    wants += static_cast<double>(right.size());
    for (const std::string& key : right) {
      hits += static_cast<double>(std::count(keys.begin(), keys.end(), key));
    }
  }
  state.counters["recall"] = hits / wants;
}
BENCHMARK(BM_SearchThroughGraph)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->MinTime(2);

}  // namespace
}  // namespace dynolith
