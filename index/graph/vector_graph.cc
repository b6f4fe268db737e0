#include "index/graph/vector_graph.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <functional>
#include <limits>
#include <new>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "engine/base/strings.h"
#include "index/graph/messages.h"
#include "index/vector.h"

// The library's own vector instructions are those that its user was compiled for, and read a little
// behind its lists.
#define NO_MANUAL_VECTORIZATION
#include <hnswlib/hnswlib.h>

namespace dynolith {
namespace {

// Neighbours of a node, and how many candidates for them are looked at when it comes.
constexpr size_t kNeighbours = 16;
constexpr size_t kBuildEffort = 100;
constexpr size_t kFirstNodes = 1024;
// What the library and the maps here keep of a node beside vector, neighbours and key.
constexpr size_t kNodeBytes = 250;

constexpr size_t kLanes = 16;
using Floats = float __attribute__((vector_size(kLanes * sizeof(float))));

struct PlainProduct {
  [[gnu::always_inline]] static void Add(const Floats& left, const Floats& right, Floats* sums) {
    *sums += left * right;
  }
};

struct SquaredDifference {
  [[gnu::always_inline]] static void Add(const Floats& left, const Floats& right, Floats* sums) {
    const Floats difference = left - right;
    *sums += difference * difference;
  }
};

template <typename Term>
[[gnu::always_inline]] inline float SumOver(const void* left, const void* right, size_t count) {
  const auto* const a = static_cast<const char*>(left);
  const auto* const b = static_cast<const char*>(right);
  Floats sums = {};
  size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Floats x;
    Floats y;
    std::memcpy(&x, a + i * sizeof(float), sizeof x);
    std::memcpy(&y, b + i * sizeof(float), sizeof y);
    Term::Add(x, y, &sums);
  }
  if (i < count) {
    Floats x = {};
    Floats y = {};
    std::memcpy(&x, a + i * sizeof(float), (count - i) * sizeof(float));
    std::memcpy(&y, b + i * sizeof(float), (count - i) * sizeof(float));
    Term::Add(x, y, &sums);
  }
  float sum = 0;
  for (size_t lane = 0; lane < kLanes; ++lane) sum += sums[lane];
  return sum;
}

// The library puts distances in order, which those that are no numbers have not.
float Ordered(float distance) {
  constexpr float kFarthest = std::numeric_limits<float>::max();
  return std::isnan(distance) ? kFarthest : std::clamp(distance, -kFarthest, kFarthest);
}

// As the library wants them: `count` points to a size_t. Without a root or a division, which
// change no order.
template <typename Term>
float DistanceAnywhere(const void* left, const void* right, const void* count) {
  const float sum = SumOver<Term>(left, right, *static_cast<const size_t*>(count));
  return Ordered(std::is_same_v<Term, PlainProduct> ? -sum : sum);
}

#if defined(__x86_64__)
template <typename Term>
[[gnu::target("avx2,fma")]] float DistanceWithAvx2(const void* left, const void* right,
                                                   const void* count) {
  const float sum = SumOver<Term>(left, right, *static_cast<const size_t*>(count));
  return Ordered(std::is_same_v<Term, PlainProduct> ? -sum : sum);
}
#endif

template <typename Term>
hnswlib::DISTFUNC<float> BestDistance() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return &DistanceWithAvx2<Term>;
  }
#endif
  return &DistanceAnywhere<Term>;
}

class HnswSpace : public hnswlib::SpaceInterface<float> {
 public:
  HnswSpace(DistanceFunction distance, size_t dimensions)
      : dimensions_(dimensions),
        function_(distance == DistanceFunction::kEuclidean ? BestDistance<SquaredDifference>()
                                                           : BestDistance<PlainProduct>()) {}
  size_t get_data_size() override { return dimensions_ * sizeof(float); }
  hnswlib::DISTFUNC<float> get_dist_func() override { return function_; }
  void* get_dist_func_param() override { return &dimensions_; }

 private:
  size_t dimensions_;
  const hnswlib::DISTFUNC<float> function_;
};

// Scales to length 1, so that dot products equal cosines; a zero vector stays as it is.
void Normalize(std::vector<float>* vector) {
  double square = 0;
  for (const double number : *vector) square += number * number;
  if (square == 0) return;
  const double length = std::sqrt(square);
  for (float& number : *vector) number = static_cast<float>(number / length);
}

// The library throws.
template <typename Call>
absl::Status Guarded(Call call) {
  try {
    call();
    return absl::OkStatus();
  } catch (const std::exception& failure) {
    return absl::ResourceExhaustedError(messages::VectorGraphFailed(failure.what()));
  }
}

// The library deletes its lists before it has new ones, and would delete them again in the end.
void Resize(size_t room, hnswlib::HierarchicalNSW<float>* graph) {
  delete std::exchange(graph->visited_list_pool_, nullptr);
  graph->resizeIndex(room);
}

// The library loses its list of visited nodes when it throws. Nobody else may use the graph.
void AddPoint(const std::vector<float>& vector, size_t number,
              hnswlib::HierarchicalNSW<float>* graph) {
  hnswlib::VisitedListPool* const pool = graph->visited_list_pool_;
  hnswlib::VisitedList* const list = pool->getFreeVisitedList();
  try {
    pool->releaseVisitedList(list);  // the first one: it is taken next
    graph->addPoint(vector.data(), number);
  } catch (...) {
    hnswlib::VisitedList* first = nullptr;
    try {
      first = pool->getFreeVisitedList();
    } catch (const std::bad_alloc&) {
    }
    if (first != list) delete first;
    delete list;
    throw;
  }
}

}  // namespace

// Nodes are numbered in the order of their coming, in the library as here.
struct VectorGraph::Nodes {
  Nodes(DistanceFunction distance, int64_t dimensions)
      : normalizes(distance == DistanceFunction::kCosine),
        space(std::make_unique<HnswSpace>(distance, static_cast<size_t>(dimensions))),
        graph(space.get(), kFirstNodes, kNeighbours, kBuildEffort) {}

  std::vector<float> Prepared(std::vector<float> vector) const {
    if (normalizes) Normalize(&vector);
    return vector;
  }

  const bool normalizes;
  const std::unique_ptr<hnswlib::SpaceInterface<float>> space;
  hnswlib::HierarchicalNSW<float> graph;
  // Not one of Abseil's tables: those are damaged when there is no memory for them to grow.
  std::unordered_map<std::string, uint32_t, StringViewHash, std::equal_to<>> number_of;
  // The key of each node by its number; nullptr: the node was replaced and is only passed through.
  std::vector<const std::string*> keys;
};

VectorGraph::VectorGraph(DistanceFunction distance, int64_t dimensions)
    : nodes_(std::make_unique<Nodes>(distance, dimensions)) {}

VectorGraph::~VectorGraph() = default;

absl::Status VectorGraph::Put(std::string_view row_key, std::string_view packed) {
  std::vector<float> vector(packed.size() / sizeof(float));
  std::memcpy(vector.data(), packed.data(), packed.size());
  vector = nodes_->Prepared(std::move(vector));
  const auto known = nodes_->number_of.find(row_key);
  if (known != nodes_->number_of.end()) {
    const char* const old = nodes_->graph.getDataByInternalId(known->second);
    if (std::memcmp(old, vector.data(), packed.size()) == 0) return absl::OkStatus();
    Remove(row_key);
  }
  return Guarded([&] {
    const size_t number = nodes_->keys.size();
    const size_t room = nodes_->graph.max_elements_;
    if (number == room) Resize(room + room / 2, &nodes_->graph);
    AddPoint(vector, number, &nodes_->graph);
    const auto added =
        nodes_->number_of.emplace(std::string(row_key), static_cast<uint32_t>(number)).first;
    nodes_->keys.push_back(&added->first);
  });
}

void VectorGraph::Remove(std::string_view row_key) {
  const auto known = nodes_->number_of.find(row_key);
  if (known == nodes_->number_of.end()) return;
  // The library's own marks can leave a new node without any neighbour.
  nodes_->keys[known->second] = nullptr;
  nodes_->number_of.erase(known);
}

absl::StatusOr<std::vector<std::string_view>> VectorGraph::Nearest(const std::vector<float>& vector,
                                                                   size_t effort) const {
  std::vector<std::string_view> found;
  const std::vector<float> prepared = nodes_->Prepared(vector);
  const absl::Status status = Guarded([&] {
    // The farthest is on top.
    auto nodes = nodes_->graph.searchKnn(prepared.data(), effort);
    for (; !nodes.empty(); nodes.pop()) {
      const std::string* const key = nodes_->keys[nodes.top().second];
      if (key != nullptr) found.push_back(*key);
    }
  });
  if (!status.ok()) return status;
  std::reverse(found.begin(), found.end());
  return found;
}

size_t VectorGraph::keys() const { return nodes_->number_of.size(); }

size_t VectorGraph::nodes_left_behind() const { return nodes_->keys.size() - keys(); }

size_t VectorGraph::bytes() const {
  const size_t key_bytes = nodes_->number_of.empty() ? 0 : nodes_->number_of.begin()->first.size();
  const auto& graph = nodes_->graph;
  return graph.max_elements_ * (graph.size_data_per_element_ + kNodeBytes + key_bytes);
}

size_t VectorGraph::EstimateBytes(size_t keys, size_t key_bytes, int64_t dimensions) {
  const size_t neighbours = (2 * kNeighbours + 1) * sizeof(uint32_t);
  // Room grows by halves.
  return keys * 3 / 2 * (PackedVectorBytes(dimensions) + neighbours + kNodeBytes + key_bytes);
}

}  // namespace dynolith
