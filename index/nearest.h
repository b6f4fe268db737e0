// The entries of a vector index that are nearest to a vector, found by an exact search.
#ifndef DYNOLITH_INDEX_NEAREST_H_
#define DYNOLITH_INDEX_NEAREST_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "engine/key/key_codec.h"
#include "engine/key/schema.h"
#include "engine/store/store.h"
#include "engine/value/item.h"
#include "index/vector.h"

namespace dynolith {

struct Neighbour {
  Item entry;
  double score = 0;
};

struct NearestEntries {
  // The nearest first; of equally near ones the one with the smaller row key.
  std::vector<Neighbour> neighbours;
  // The number of entries whose vector was compared.
  size_t compared = 0;
};

// The packed vector in an entry. Errors: kDataLoss if it has none of the index's dimensions.
absl::StatusOr<std::string_view> FindPackedVector(const IndexSchema& index, ItemView entry);
// The entry's score, which is finite. Errors: kDataLoss for an entry without a vector of so many
// finite floats.
absl::StatusOr<double> ScoreEntry(const IndexSchema& index, const VectorScorer& scorer,
                                  ItemView entry);

// The at most `count` nearest entries among those in `range` that satisfy `matches`, in one state
// of the store: that of the view when this is called. Requires: `index` is a vector index, count >
// 0, the scorer's vector has its dimensions. Errors: the store's; kDataLoss for an entry without a
// vector of so many finite floats. O(entries in the range, each with its vector).
absl::StatusOr<NearestEntries> FindNearest(const ReadView& view, const IndexSchema& index,
                                           const KeyRange& range, const VectorScorer& scorer,
                                           size_t count, absl::FunctionRef<bool(ItemView)> matches);

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_NEAREST_H_
