// ExclusiveStartKey of Query and Scan (api/facts/operations.md §2, Query).
#ifndef DYNOLITH_API_READ_START_KEY_H_
#define DYNOLITH_API_READ_START_KEY_H_

#include <cstdint>

#include "absl/status/status.h"
#include "engine/value/item.h"
#include "index/read.h"

namespace dynolith {

// Query and Scan word the same violations differently.
enum class PageOperation : uint8_t { kQuery, kScan };

// Whether a start key has exactly the attributes of the table's key and of the index's, with their
// types, and none is empty: then it has a row key.
absl::Status CheckStartKey(const RowSource& source, ItemView start_key, PageOperation operation);

}  // namespace dynolith

#endif  // DYNOLITH_API_READ_START_KEY_H_
