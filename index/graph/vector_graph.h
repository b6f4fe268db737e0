// A graph over the vectors of one range of a vector index, which finds near ones without comparing
// all: a hierarchical navigable small world (Malkov and Yashunin, 2016), by hnswlib. It returns row
// keys; the caller reads their entries and exact distances from the store.
#ifndef DYNOLITH_INDEX_GRAPH_VECTOR_GRAPH_H_
#define DYNOLITH_INDEX_GRAPH_VECTOR_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/key/schema.h"

namespace dynolith {

// Const functions may run concurrently with each other, not with others.
class VectorGraph {
 public:
  VectorGraph(DistanceFunction distance, int64_t dimensions);
  ~VectorGraph();
  VectorGraph(const VectorGraph&) = delete;
  VectorGraph& operator=(const VectorGraph&) = delete;

  // Sets the key's vector. A previous vector stays behind as a node without a key. Requires: a
  // packed vector of finite floats. Errors: kResourceExhausted; the graph is unusable then. O(log
  // nodes), about a millisecond.
  absl::Status Put(std::string_view row_key, std::string_view packed);
  // No effect if the key is not in it. O(1).
  void Remove(std::string_view row_key);

  // Row keys of near vectors, the nearest first by single-precision distances; at most `effort`.
  // More effort finds more of the nearest ones. The views stay valid until the next change. Errors:
  // kResourceExhausted.
  absl::StatusOr<std::vector<std::string_view>> Nearest(const std::vector<float>& vector,
                                                        size_t effort) const;

  size_t keys() const;
  // Nodes without a key, which searches pass through in vain.
  size_t nodes_left_behind() const;
  // Estimated memory.
  size_t bytes() const;
  // The same for a graph of so many keys of so many bytes each.
  static size_t EstimateBytes(size_t keys, size_t key_bytes, int64_t dimensions);

 private:
  struct Nodes;
  const std::unique_ptr<Nodes> nodes_;
};

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_GRAPH_VECTOR_GRAPH_H_
