// How a global index is spread over shards.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_INDEX_SHARDS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_INDEX_SHARDS_H_

#include <optional>

namespace dynolith {

struct IndexShards {
  // As queries find it, and are charged for it; 1: an ordinary index.
  int shards = 1;
  // Where its entries are on their way to, in the background.
  std::optional<int> moving_to;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_INDEX_SHARDS_H_
