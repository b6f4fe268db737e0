// How a global index is spread over shards.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_INDEX_SHARDS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_INDEX_SHARDS_H_

#include <optional>
#include <string>
#include <vector>

namespace dynolith {

struct IndexShards {
  // As queries find it, and are charged for it; 1: an ordinary index.
  int shards = 1;
  // Where its entries are on their way to, in the background.
  std::optional<int> moving_to;
};

// What is being filled of an index in the background: a new one, or where it moves to.
enum class IndexFilling {
  kNone,
  kSortedFiles,  // with the entries of all rows, at once; how far it is cannot be seen
  kNotedWrites,  // with what was written meanwhile
  kRows,         // row by row, beside writes
};

// The global indexes of a table.
struct IndexReport {
  struct Index {
    std::string index_name;
    IndexShards shards;
    IndexFilling filling = IndexFilling::kNone;
    // Of kRows: what part of the table's rows has been passed, from 0 to 1, by their hashes.
    double filled = 0;
  };

  std::string table_name;
  std::vector<Index> indexes;
  // What tags "dynolith:shards:<index>" name without there being such a global index. They wait for
  // one; or somebody has mistyped it.
  std::vector<std::string> waiting_tags;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_INDEX_SHARDS_H_
