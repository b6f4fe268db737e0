// The storage of items and index entries, as the service counts and bills it.
#ifndef DYNOLITH_ENGINE_PARTITION_STORED_BYTES_H_
#define DYNOLITH_ENGINE_PARTITION_STORED_BYTES_H_

#include <cstdint>

namespace dynolith {

// The service's overhead for each index entry (api/facts/capacity.md §1).
inline constexpr int64_t kIndexEntryOverheadBytes = 100;

// For an item, or an entry of an index, of this size; 0: it does not exist.
inline int64_t StoredBytes(int64_t bytes, bool is_entry) {
  return bytes > 0 && is_entry ? bytes + kIndexEntryOverheadBytes : bytes;
}

// For an item of this size with an entry as large in each of so many local indexes.
inline int64_t StoredWithLocals(int64_t bytes, int64_t local_indexes) {
  return bytes + local_indexes * StoredBytes(bytes, /*is_entry=*/true);
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PARTITION_STORED_BYTES_H_
