// The number of rows of a table or an index, and their billed size.
#ifndef DYNOLITH_API_TABLE_ROW_COUNT_H_
#define DYNOLITH_API_TABLE_ROW_COUNT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "engine/catalog/live_counts.h"
#include "engine/key/key_codec.h"
#include "engine/store/store.h"

namespace dynolith {

// The rows of one id, each with `overhead_bytes` more than its item. Errors: only the store's.
// O(rows).
absl::StatusOr<LiveCounts::Count> CountRows(const Store& store, Family family, StorageId id,
                                            int64_t overhead_bytes);

// The table's own rows as counted for its size.
absl::StatusOr<LiveCounts::Count> CountTableRows(const Store& store, StorageId id);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_ROW_COUNT_H_
