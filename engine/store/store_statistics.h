// The content and the work of a store, as far as the figures cost next to nothing.
#ifndef DYNOLITH_ENGINE_STORE_STORE_STATISTICS_H_
#define DYNOLITH_ENGINE_STORE_STORE_STATISTICS_H_

#include <cstdint>

namespace dynolith {

// Figures are read one after the other and need not agree exactly. Counts begin when the store was
// opened.
struct StoreStatistics {
  // Of every kind: items, index entries, stream records, descriptions of tables. Counts an
  // overwritten or deleted row until it is compacted away.
  uint64_t rows_estimated = 0;
  uint64_t table_file_bytes = 0;      // compressed
  uint64_t live_bytes_estimated = 0;  // of those, the part that is not overwritten or deleted
  uint64_t memtable_bytes = 0;        // rows not in table files yet; of a store in memory, all rows
  uint64_t log_bytes = 0;             // of write-ahead logs

  uint64_t block_cache_capacity_bytes = 0;
  uint64_t block_cache_bytes = 0;
  uint64_t block_cache_hits = 0;
  uint64_t block_cache_misses = 0;
  // For items read by point reads, and for pages within one item collection.
  uint64_t row_cache_capacity_bytes = 0;
  uint64_t row_cache_bytes = 0;
  uint64_t row_cache_hits = 0;
  uint64_t row_cache_misses = 0;

  // Kept moments, with the rows that have been overwritten since.
  uint64_t snapshots = 0;
  // Due compactions; writes are slowed down and then stopped when these grow too large.
  uint64_t pending_compaction_bytes = 0;
  uint64_t running_compactions = 0;
  uint64_t running_flushes = 0;
  bool writes_are_stopped = false;
  // The present limit of slowed-down writes; 0: not slowed down.
  uint64_t delayed_write_bytes_per_second = 0;
  // How long writers have waited because of either.
  uint64_t write_stall_microseconds = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_STORE_STATISTICS_H_
