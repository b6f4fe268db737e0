// From an item to its row in an index, or to nothing (sparse).
#ifndef DYNOLITH_INDEX_ENTRY_H_
#define DYNOLITH_INDEX_ENTRY_H_

#include <optional>
#include <string>
#include <vector>

#include "engine/key/schema.h"
#include "engine/store/store.h"
#include "engine/value/item.h"

namespace dynolith {

inline Family FamilyOf(IndexKind kind) {
  return kind == IndexKind::kGlobal ? Family::kGlobalIndexes : Family::kLocalIndexes;
}

struct IndexEntry {
  std::string row_key;
  std::string value;  // the projected item's bytes
};

// Whether an attribute is part of the index's entries.
bool Projects(const IndexSchema& index, const KeySchema& base_key, std::string_view attribute);

// The entry, or nullopt if the item lacks an index key attribute or has one of another type or
// empty.
std::optional<IndexEntry> EntryOf(const IndexSchema& index, const KeySchema& base_key,
                                  ItemView item);

// What one write cost an index, for capacity accounting (facts/capacity.md, "GSI write cost per
// index").
struct IndexWork {
  size_t index = 0;  // position in TableSchema::indexes
  double write_units = 0;
};

// Appends to `batch` the index rows that take the table from `before` to `after` (nullptr: no such
// item): nothing for an unchanged entry, one put for a changed projection, a delete and a put for a
// moved key. Reports each touched index.
void MaintainIndexes(const TableSchema& schema, const ItemView* before, const ItemView* after,
                     WriteBatch* batch, std::vector<IndexWork>* work);

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_ENTRY_H_
