// The shards of a global index.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_INDEX_SHARDS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_INDEX_SHARDS_H_

#include <optional>
#include <string>
#include <vector>

namespace dynolith {

struct IndexShards {
  // The number that queries search, and are charged for; 1: an ordinary index.
  int shards = 1;
  // The number of shards to which the index is being resharded, in the background.
  std::optional<int> moving_to;
};

// The way in which an index is being filled in the background: a new one, or one being resharded.
enum class IndexFilling {
  kNone,
  kSortedFiles,  // with the entries of all rows, at once; its progress is not known
  kNotedWrites,  // with the writes made meanwhile
  kRows,         // row by row, beside writes
};

// The global indexes of a table.
struct IndexReport {
  struct Index {
    std::string index_name;
    IndexShards shards;
    IndexFilling filling = IndexFilling::kNone;
    // For kRows: the processed part of the table's rows, from 0 to 1, by their hashes.
    double filled = 0;
  };

  std::string table_name;
  std::vector<Index> indexes;
  // Indexes that tags "dynolith:shards:<index>" name without there being such a global index. The
  // tags wait for it, or are mistyped.
  std::vector<std::string> waiting_tags;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_INDEX_SHARDS_H_
