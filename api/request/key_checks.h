// Whether items and keys fit a table's key schema and its indexes' (api/facts/values.md §8).
#ifndef DYNOLITH_API_REQUEST_KEY_CHECKS_H_
#define DYNOLITH_API_REQUEST_KEY_CHECKS_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "engine/key/schema.h"
#include "engine/value/item.h"

namespace dynolith {

// A whole item to be put: key attributes present, of the right type, not empty, not too long; then
// its index key attributes, global indexes before local ones, and its attributes of vector indexes.
absl::Status CheckItemKeys(const TableSchema& schema, ItemView item);

// A Key parameter: exactly the key attributes.
absl::Status CheckKey(const KeySchema& key, ItemView item);

// Whether no key attribute that `item` has, with the right type, is empty. Only transactions report
// that apart from other violations of a key.
absl::Status CheckNoEmptyKey(const KeySchema& key, ItemView item);

// The same as CheckItemKeys for an item in BatchWriteItem, which has another wording for missing
// and mistyped keys.
absl::Status CheckBatchItemKeys(const TableSchema& schema, ItemView item);

// Whether no index key attribute gets an empty value of its type from `find`, which returns the
// value of an attribute. `empty` makes the error for an index and its attribute.
absl::Status CheckNoEmptyIndexKey(
    const TableSchema& schema, absl::FunctionRef<std::optional<ValueView>(std::string_view)> find,
    absl::FunctionRef<std::string(const IndexSchema&, const KeyAttribute&)> empty);

// The index key attributes and the vectors that an update has changed.
absl::Status CheckUpdatedIndexKeys(const TableSchema& schema, std::optional<ItemView> before,
                                   ItemView after);

// Only the attributes of `key` from `item`, which has them all.
Item ExtractKey(const KeySchema& key, ItemView item);
// The attributes of both schemas, each once.
Item ExtractKey(const KeySchema& index_key, const KeySchema& base_key, ItemView item);

}  // namespace dynolith

#endif  // DYNOLITH_API_REQUEST_KEY_CHECKS_H_
