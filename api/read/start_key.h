// ExclusiveStartKey of Query and Scan, and of the pages of a SELECT (facts/operations.md, Query).
#ifndef DYNOLITH_API_READ_START_KEY_H_
#define DYNOLITH_API_READ_START_KEY_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "engine/key/schema.h"
#include "engine/value/item.h"

namespace dynolith {

// Query and Scan word the same faults differently.
enum class PageOperation : uint8_t { kQuery, kScan };

// Whether a start key has exactly the attributes of the table's key and of the index's, with their
// types, and none is empty. `index` may be nullptr.
absl::Status CheckStartKey(const TableSchema& schema, const IndexSchema* index, ItemView start_key,
                           PageOperation operation);

// The row key of a start key that passes CheckStartKey.
std::string StartRowKey(const TableSchema& schema, const IndexSchema* index, ItemView start_key);

}  // namespace dynolith

#endif  // DYNOLITH_API_READ_START_KEY_H_
