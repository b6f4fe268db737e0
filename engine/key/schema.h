// Key schemas of tables and indexes, and the content of an index.
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

// A table's or an index's number at the beginning of its row keys. Never reused within a store; the
// largest one is never assigned, so that every id's rows have an end.
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

// The parts of a vector index beyond a key and a projection.
struct VectorSchema {
  std::string attribute;  // the items' vector attribute: a list of `dimensions` numbers
  int64_t dimensions = 0;
  DistanceFunction distance = DistanceFunction::kCosine;
  std::vector<KeyAttribute> inline_filters;  // of the search schema, in the order given

  friend bool operator==(const VectorSchema&, const VectorSchema&) = default;
};

// The place of an index's rows: their id, and over how many places of the hash space the entries of
// one partition key are spread. An item's key determines the place of its entry.
struct IndexLayout {
  StorageId id = 0;
  int shards = 1;  // from 1 to kIndexShardsMax; 1 unless the index is global

  friend bool operator==(const IndexLayout&, const IndexLayout&) = default;
};

// The writes made while a layout was filled with entries of an earlier moment: a row for each
// entry, under the entry's row key except for the id, with the row key of its item as value.
struct WriteNotes {
  StorageId id = 0;
  // While open, writers note an entry of that layout and leave the entry as it is. Afterwards they
  // write it like all others, and the notes are processed.
  bool is_open = true;

  friend bool operator==(const WriteNotes&, const WriteNotes&) = default;
};

struct IndexSchema {
  std::string name;
  StorageId id = 0;
  int shards = 1;
  // The next place of the rows: writes maintain both layouts, reads know only the first.
  std::optional<IndexLayout> next;
  // For the layout that is being filled: the next one, if there is one.
  std::optional<WriteNotes> notes;
  IndexKind kind = IndexKind::kGlobal;
  KeySchema key;  // for a vector index at most one attribute, the HASH of its search schema
  ProjectionType projection = ProjectionType::kAll;
  std::vector<std::string> non_key_attributes;  // of kInclude, in the order given
  std::optional<VectorSchema> vector;           // of kVector, and only there

  IndexLayout layout() const { return {id, shards}; }
};

// Calls `visit(const IndexLayout&)` for the present layout, then for the next one.
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
