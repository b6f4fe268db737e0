// Where the accesses of a table or an index fell, and when: counts by part of the hashes and by
// slot of time, for as many slots as there is room for. The figures of a heat map.
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

// What an access costs is a multiple of it, in units.
inline constexpr double kHeatUnit = 0.5;

struct HeatSlot {
  // A bucket in which something happened.
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

// Thread-safe; an access takes no lock but for the first of a slot. What a thread adds that slept
// for as long as the whole ring, between finding its slot and counting, counts in a later one. 24
// KB for each slot in which something happened, so 7.2 MB at most.
class HeatRecord {
 public:
  static constexpr size_t kBuckets = 1'000;
  static constexpr Micros kSlot = 2 * kSecond;
  static constexpr size_t kSlots = 300;

  // `position`: begins with the hash (PartitionMap); what is missing of that is zeros.
  void AddAccess(std::string_view position, AccessKind kind, Tokens tokens, int64_t bytes,
                 Micros now) ABSL_LOCKS_EXCLUDED(mutex_);
  void AddThrottled(std::string_view position, AccessKind kind, ThroughputLimit limit, Micros now)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // The slots of the last kSlots that end after `since` and have something in them, oldest first.
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
    std::atomic<int64_t> slot = -1;  // the number of the one that it holds
    PerKind<std::atomic<uint64_t>> operations;
    PerKind<std::atomic<uint64_t>> consumed;
    PerKind<std::atomic<uint64_t>> bytes;
    PerKind<std::array<std::atomic<uint64_t>, kThroughputLimits>> refused;
    std::array<Cell, kBuckets> cells;

    void Clear();
    HeatSlot Take() const;
  };

  // nullptr: the slot has left the ring.
  Row* RowOf(Micros now) ABSL_LOCKS_EXCLUDED(mutex_);

  mutable absl::Mutex mutex_;  // held where a row begins another slot, and while one is read
  std::array<std::unique_ptr<Row>, kSlots> owned_ ABSL_GUARDED_BY(mutex_);
  // The same, for those who take no lock.
  std::array<std::atomic<Row*>, kSlots> rows_{};
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PARTITION_HEAT_RECORD_H_
