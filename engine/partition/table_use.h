// Statistics of a table and its global indexes beyond those that enforcement needs: consumption and
// refusals, hot keys, and the distribution of accesses. Nothing is counted unless it is requested.
#ifndef DYNOLITH_ENGINE_PARTITION_TABLE_USE_H_
#define DYNOLITH_ENGINE_PARTITION_TABLE_USE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "engine/partition/heat_record.h"
#include "engine/partition/key_watch.h"
#include "engine/partition/table_throughput.h"

namespace dynolith {

struct UseOptions {
  bool counts = false;    // what is consumed and refused
  bool hot_keys = false;  // of the table and all its indexes
  bool observed = false;  // each access is reported (access_observer.h)
};

// Use is counted in thousandths of a unit. Costs are multiples of half a unit, so the dropped rest
// of a token never adds up to anything.
inline constexpr int64_t kThousandths = 1000;

// Since the table was opened.
struct UseTotals {
  PerKind<int64_t> consumed;                                 // thousandths of units
  PerKind<std::array<uint64_t, kThroughputLimits>> refused;  // accesses
};

// Thread-safe.
class TableUse {
 public:
  explicit TableUse(const UseOptions& options);
  ~TableUse();
  TableUse(const TableUse&) = delete;
  TableUse& operator=(const TableUse&) = delete;

  // Whether anything is watched, and whether that needs keys or positions. One relaxed load.
  bool is_watched() const { return is_watched_.load(std::memory_order_relaxed); }
  bool watches_keys() const { return watches_keys_.load(std::memory_order_relaxed); }

  // Whether the keys of the table and of all its indexes are to be watched.
  bool watches_all_keys() const { return options_.hot_keys; }
  // The ids of the tables and indexes whose keys are watched from now on, and whether the
  // distribution of their accesses is recorded. The data of other ids is dropped, and of those
  // whose mode changes.
  using WatchedIds = std::map<uint64_t, KeyWatchMode>;
  void WatchKeys(const WatchedIds& ids, bool records_heat = false) ABSL_LOCKS_EXCLUDED(mutex_) {
    SetWatches(MakeWatches(ids, records_heat));
  }
  // The two halves of it: only the first one takes memory.
  struct ResourceWatch {
    std::shared_ptr<KeyWatch> keys;
    std::shared_ptr<HeatRecord> heat;
  };
  using Watches = std::map<uint64_t, ResourceWatch>;
  Watches MakeWatches(const WatchedIds& ids, bool records_heat) const ABSL_LOCKS_EXCLUDED(mutex_);
  void SetWatches(Watches watches) ABSL_LOCKS_EXCLUDED(mutex_);

  // The costs of uses, and the limits that refused them. No locks except those of hot keys. `now`
  // of charges may be 0 unless watches_keys() was true when their positions were looked up.
  void AddCharges(absl::Span<const ThroughputUse> uses, Micros now) ABSL_LOCKS_EXCLUDED(mutex_);
  void AddRefusals(absl::Span<const ThroughputUse> uses,
                   absl::Span<const std::optional<ThroughputLimit>> refusals, Micros now)
      ABSL_LOCKS_EXCLUDED(mutex_);

  UseTotals FindTotals(uint64_t id) const;
  // nullopt: not watched.
  std::optional<HotKeyLists> FindHotKeys(uint64_t id, size_t most, Micros now) const
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Slots that end after `since`; nullopt: not recorded.
  std::optional<std::vector<HeatSlot>> FindHeat(uint64_t id, Micros since, Micros now) const
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // For one id; never removed, so that it can be found without a lock.
  struct Totals {
    explicit Totals(uint64_t of) : id(of) {}

    const uint64_t id;
    Totals* next = nullptr;
    PerKind<std::atomic<int64_t>> consumed;
    PerKind<std::array<std::atomic<uint64_t>, kThroughputLimits>> refused;
  };

  Totals& TotalsFor(uint64_t id);
  // nullptr: not in the list that begins there.
  static Totals* Find(uint64_t id, Totals* from);
  // The watches of one id; nullptr: not watched.
  ResourceWatch FindWatch(uint64_t id) const ABSL_LOCKS_EXCLUDED(mutex_);

  const UseOptions options_;
  std::atomic<bool> is_watched_;
  std::atomic<bool> watches_keys_;
  std::atomic<Totals*> totals_ = nullptr;
  mutable absl::Mutex mutex_;
  Watches watches_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PARTITION_TABLE_USE_H_
