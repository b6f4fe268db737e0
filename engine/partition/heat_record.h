// The distribution of a table's or an index's accesses: counts by part of the hashes and by slot of
// time, for as many slots as there is room for. The figures of a heat map.
#ifndef DYNOLITH_ENGINE_PARTITION_HEAT_RECORD_H_
#define DYNOLITH_ENGINE_PARTITION_HEAT_RECORD_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "engine/partition/capacity_settings.h"
#include "engine/partition/throughput_model.h"
#include "engine/partition/tokens.h"

namespace dynolith {

// Costs are multiples of this, in units.
inline constexpr double kHeatUnit = 0.5;

struct HeatSlot {
  // A bucket with accesses.
  struct Cell {
    size_t bucket = 0;  // of kBuckets equal parts of the hashes
    uint64_t operations = 0;
    uint64_t consumed = 0;  // in kHeatUnit
    uint64_t throttled = 0;
    uint64_t bytes = 0;
  };

  Micros begin = 0;
  PerKind<uint64_t> operations;
  PerKind<uint64_t> consumed;  // in kHeatUnit
  PerKind<uint64_t> bytes;     // that were read or written
  PerKind<std::array<uint64_t, kThroughputLimits>> refused;
  std::vector<Cell> cells;  // by bucket
};

// Thread-safe; an access takes no lock, except the first one of a slot. If a thread sleeps between
// finding its slot and counting, for as long as the whole ring, its access counts in a later slot.
// 24 KB for each slot with accesses, so 7.2 MB at most.
class HeatRecord {
 public:
  static constexpr size_t kBuckets = 1'000;
  static constexpr Micros kSlot = 2 * kSecond;
  static constexpr size_t kSlots = 300;

  // `position`: begins with the hash (PartitionMap); missing bytes are zeros.
  void AddAccess(std::string_view position, AccessKind kind, Tokens tokens, int64_t bytes,
                 Micros now) ABSL_LOCKS_EXCLUDED(mutex_);
  void AddThrottled(std::string_view position, AccessKind kind, ThroughputLimit limit, Micros now)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Those of the last kSlots slots that end after `since` and are not empty, oldest first.
  std::vector<HeatSlot> Report(Micros since, Micros now) const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Count = std::atomic<uint32_t>;
  struct Cell {
    Count operations = 0;
    Count consumed = 0;
    Count throttled = 0;
    std::atomic<uint64_t> bytes = 0;
  };
  struct Row {
    std::atomic<int64_t> slot = -1;  // the number of its slot
    PerKind<std::atomic<uint64_t>> operations;
    PerKind<std::atomic<uint64_t>> consumed;
    PerKind<std::atomic<uint64_t>> bytes;
    PerKind<std::array<std::atomic<uint64_t>, kThroughputLimits>> refused;
    std::array<Cell, kBuckets> cells;

    void Clear();
    HeatSlot Take() const;
  };

  // nullptr: the slot has left the ring.
  Row* RowAt(Micros now) ABSL_LOCKS_EXCLUDED(mutex_);

  mutable absl::Mutex mutex_;  // held when a row begins another slot, and while one is read
  std::array<std::unique_ptr<Row>, kSlots> owned_ ABSL_GUARDED_BY(mutex_);
  // The same, for access without a lock.
  std::array<std::atomic<Row*>, kSlots> rows_{};
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PARTITION_HEAT_RECORD_H_
