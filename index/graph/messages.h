// The texts about graphs over vector indexes, which no client sees.
#ifndef DYNOLITH_INDEX_GRAPH_MESSAGES_H_
#define DYNOLITH_INDEX_GRAPH_MESSAGES_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- Graphs over vector indexes, which no client sees ---

inline std::string VectorGraphFailed(std::string_view reason) {
  return Concat("The graph over a vector index failed: ", reason);
}
inline std::string VectorGraphTooLarge(std::string_view index, size_t bytes_max) {
  return Concat("The graph over vector index ", index, " does not fit into what is left of ",
                bytes_max, " bytes for graphs: searches compare every vector");
}
inline std::string VectorGraphOverrun(std::string_view index) {
  return Concat("The graph over vector index ", index,
                " could not follow its writes: searches compare every vector");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_INDEX_GRAPH_MESSAGES_H_
