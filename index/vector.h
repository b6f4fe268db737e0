// Vectors as a vector index stores them, and their distances.
//
//   packed vector = f32le{dimensions}
#ifndef DYNOLITH_INDEX_VECTOR_H_
#define DYNOLITH_INDEX_VECTOR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/key/schema.h"
#include "engine/value/item.h"
#include "engine/value/value.h"

namespace dynolith {

inline constexpr size_t PackedVectorBytes(int64_t dimensions) {
  return static_cast<size_t>(dimensions) * sizeof(float);
}

// Whether the value can be indexed: a list of so many numbers, each of which fits a float.
bool IsVector(ValueView value, int64_t dimensions);

// Requires: IsVector.
std::string PackVector(ListView numbers);

// Adds the list of numbers of a packed vector to `builder`: each the shortest decimal that
// identifies its float. Requires: a packed vector.
void UnpackVector(std::string_view packed, ItemBuilder* builder);

// Scores the vectors of an index against one.
class VectorScorer {
 public:
  // Requires: finite floats.
  VectorScorer(DistanceFunction distance, const std::vector<float>& query);

  // COSINE: 1 - cos, from 0 to 2, and 1 if either vector is zero. EUCLIDEAN: the distance.
  // DOT_PRODUCT: the product. Requires: a packed vector of as many dimensions. O(dimensions).
  double Score(std::string_view packed) const;

  // Whether a score means more similarity than another.
  bool IsNearer(double left, double right) const {
    return distance_ == DistanceFunction::kDotProduct ? left > right : left < right;
  }

 private:
  const DistanceFunction distance_;
  const std::vector<double> query_;
  double query_square_ = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_VECTOR_H_
