// From an item to its row in an index, or to nothing (sparse).
//
// clang-format off
//   index row key   = AppendIndexRowKey (engine/key/key_codec.h)
//   index row value = an item: the projected attributes, always with all key attributes of the
//                     index and of the table; of ProjectionType::kAll the table row's bytes
// clang-format on
// so that a read borrows the row's value as the answer. In a vector index the value has the vector
// as a B of packed floats (index/vector.h) in place of the list, and always the inline filters.
#ifndef DYNOLITH_INDEX_ENTRY_H_
#define DYNOLITH_INDEX_ENTRY_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/catalog/families.h"
#include "engine/key/schema.h"
#include "engine/store/store.h"
#include "engine/value/item.h"

namespace dynolith {

struct IndexEntry {
  std::string row_key;
  // The projected item's bytes: those of the item itself, which must then outlive the entry, or
  // those of `projected`.
  std::string_view value;
  std::unique_ptr<const std::string> projected;
};

// The item of a row of the table from which indexes are filled. kDataLoss naming the row if it
// cannot be decoded, or lacks the table's key.
absl::StatusOr<ItemView> ItemOfRow(const TableSchema& schema, std::string_view row_key,
                                   std::string_view value);

// Whether the item has an entry in the index: every index key attribute, of its type, neither empty
// nor longer than a key may be; in a vector index also a vector of its dimensions, and no inline
// filter of another type. Requires: `item` has the table's key. O(attributes of the key); for a
// vector index O(dimensions).
bool HasEntry(const IndexSchema& index, ItemView item);

// The entry in a layout of the index, or nullopt if the item has none. Requires: `item` has the
// table's key.
std::optional<IndexEntry> MakeIndexEntry(const IndexSchema& index, const IndexLayout& layout,
                                         const KeySchema& base_key, ItemView item);

// The billed bytes of the item's entry, nullopt if it has none. Builds nothing.
std::optional<size_t> EntryBilledBytes(const IndexSchema& index, const KeySchema& base_key,
                                       ItemView item);

bool HasLocalIndex(const TableSchema& schema);
// The size that the limit of a table with local indexes applies to: the item and its entries there
// share one limit (api/facts/values.md §7). Builds nothing.
size_t BilledBytesWithLocalEntries(const TableSchema& schema, ItemView item);

// The item's bytes in the table's own units: its billed bytes, except that each vector of a vector
// index counts 4 bytes a dimension (api/facts/newest.md §3).
size_t TableBilledBytes(const TableSchema& schema, ItemView item);
// The same, or any other number of bytes that surely costs the same one unit of a read: the cost of
// reading most items is known without counting them.
size_t TableBilledBytesOfRead(const TableSchema& schema, ItemView item);

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_ENTRY_H_
