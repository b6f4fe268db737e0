// The number of rows and bytes of a table and its indexes, counted on request and cached until
// enough writes have been made to matter (api/table/README.md, "Counts").
#ifndef DYNOLITH_ENGINE_CATALOG_LIVE_COUNTS_H_
#define DYNOLITH_ENGINE_CATALOG_LIVE_COUNTS_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "engine/key/schema.h"
#include "engine/process/thread_share.h"

namespace dynolith {

// Thread-safe.
class LiveCounts {
 public:
  struct Count {
    int64_t rows = 0;
    int64_t bytes = 0;
    // writes() before the counting began.
    uint64_t writes = 0;
  };

  // Every committed write of a row of the table calls this after its commit and before it is
  // acknowledged: so a cached count that is newer than a write includes it.
  void AddWrites(uint64_t count) {
    writes_[ThreadShare::Mine()].count.fetch_add(count, std::memory_order_release);
  }
  // At least the number of those added before.
  uint64_t writes() const {
    uint64_t writes = 0;
    for (const Writes& share : writes_) writes += share.count.load(std::memory_order_acquire);
    return writes;
  }

  // The last count of the table or index `id`.
  std::optional<Count> Last(StorageId id) const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    const auto it = counts_.find(id);
    if (it == counts_.end()) return std::nullopt;
    return it->second;
  }
  void Remember(StorageId id, const Count& count) ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    counts_[id] = count;
  }

 private:
  // Writers of one table do not wait for each other's count.
  struct alignas(kCacheLineBytes) Writes {
    std::atomic<uint64_t> count = 0;
  };
  std::array<Writes, kThreadShares> writes_;
  mutable absl::Mutex mutex_;
  std::map<StorageId, Count> counts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_CATALOG_LIVE_COUNTS_H_
