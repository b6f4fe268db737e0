// What a table's and an index's keys are made of, and what an index holds.
#ifndef DYNOLITH_ENGINE_KEY_SCHEMA_H_
#define DYNOLITH_ENGINE_KEY_SCHEMA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/enumerations.h"
#include "engine/value/value.h"

namespace dynolith {

// A table's or an index's number in front of its row keys. Never reused within a store; the largest
// one is never given out, so that every id's rows have an end.
using StorageId = uint32_t;

struct KeyAttribute {
  std::string name;
  Type type = Type::kString;  // kString, kNumber or kBinary

  friend bool operator==(const KeyAttribute&, const KeyAttribute&) = default;
};

// Base tables and local indexes: one hash and at most one range attribute. Global indexes: up to 4
// + 4. Vector indexes: at most one hash attribute.
struct KeySchema {
  std::vector<KeyAttribute> hash;
  std::vector<KeyAttribute> range;

  size_t size() const { return hash.size() + range.size(); }
  bool Contains(std::string_view name) const;
  friend bool operator==(const KeySchema&, const KeySchema&) = default;
};

// On disk. Append only.
enum class IndexKind : uint8_t { kGlobal = 1, kLocal = 2, kVector = 3 };

// What a vector index has beyond a key and a projection.
struct VectorSchema {
  std::string attribute;  // of the items: a list of `dimensions` numbers
  int64_t dimensions = 0;
  DistanceFunction distance = DistanceFunction::kCosine;
  std::vector<KeyAttribute> inline_filters;  // of the search schema, in the order given

  friend bool operator==(const VectorSchema&, const VectorSchema&) = default;
};

// Where the rows of an index are: under which id, and over how many places of the hash space the
// entries of one partition key are spread. Which one an entry has follows from its item's key.
struct IndexLayout {
  StorageId id = 0;
  int shards = 1;  // from 1 to kIndexShardsMax; 1 unless the index is global

  friend bool operator==(const IndexLayout&, const IndexLayout&) = default;
};

// What was written while a layout was filled with entries of a moment before: a row for each entry,
// under the entry's row key but for the id, with the row key of its item as value.
struct WriteNotes {
  StorageId id = 0;
  // Writers note an entry of that layout and leave it as it is. Behind it they write it, as all
  // others, and what was noted is being made up for.
  bool is_open = true;

  friend bool operator==(const WriteNotes&, const WriteNotes&) = default;
};

struct IndexSchema {
  std::string name;
  StorageId id = 0;
  int shards = 1;
  // Where the rows are about to move: writes keep both layouts, reads know only the first.
  std::optional<IndexLayout> next;
  // Of the layout that is being filled: the next one, if there is one.
  std::optional<WriteNotes> notes;
  IndexKind kind = IndexKind::kGlobal;
  KeySchema key;  // of a vector index at most one attribute, the HASH of its search schema
  ProjectionType projection = ProjectionType::kAll;
  std::vector<std::string> non_key_attributes;  // of kInclude, in the order given
  std::optional<VectorSchema> vector;           // of kVector, and only there

  IndexLayout layout() const { return {id, shards}; }
};

// Calls `visit(const IndexLayout&)` for the layout that is read, then for the one to come.
template <typename Visit>
void ForEachLayout(const IndexSchema& index, Visit visit) {
  visit(index.layout());
  if (index.next) visit(*index.next);
}

// Calls `visit(StorageId)` for each id under which the index has rows.
template <typename Visit>
void ForEachId(const IndexSchema& index, Visit visit) {
  ForEachLayout(index, [&](const IndexLayout& layout) { visit(layout.id); });
  if (index.notes) visit(index.notes->id);
}

struct TableSchema {
  std::string name;
  StorageId id = 0;
  KeySchema key;
  std::vector<IndexSchema> indexes;  // those of each kind in the order of creation

  // nullptr if there is none.
  const IndexSchema* FindIndex(std::string_view index_name) const;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_KEY_SCHEMA_H_
