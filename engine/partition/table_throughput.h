// The capacity of a table and its global indexes, for requests from many threads.
#ifndef DYNOLITH_ENGINE_PARTITION_TABLE_THROUGHPUT_H_
#define DYNOLITH_ENGINE_PARTITION_TABLE_THROUGHPUT_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "engine/partition/capacity_settings.h"
#include "engine/partition/throughput_model.h"

namespace dynolith {

// One request's use of the table or of one index. Borrows.
struct ThroughputUse {
  uint64_t id = 0;  // of the table or index; never reused
  const TableRates* rates = nullptr;
  AccessKind kind = AccessKind::kRead;
  AccessPosition position;
  Tokens tokens = 0;  // its cost, once that is known
  int64_t bytes = 0;  // the growth of the stored data; negative if it has shrunk
  // Bytes read or written, where accesses are watched; 0: not known.
  int64_t item_size = 0;
  // Where hot keys are watched or accesses observed, the whole position of the key, and the numbers
  // of its bytes that name a partition key and an item with a sort key; 0: none.
  std::string_view named_key;
  size_t partition_key_bytes = 0;
  size_t item_bytes = 0;
};

// For several uses, in their order; nullopt: admitted.
using ThroughputRefusals = absl::InlinedVector<std::optional<ThroughputLimit>, 2>;

inline bool AreAllAdmitted(const ThroughputRefusals& refusals) {
  return std::none_of(refusals.begin(), refusals.end(), [](const auto& each) { return each; });
}

// By the id of the table or index.
using ThroughputStates = std::map<uint64_t, ThroughputState>;

struct ThroughputChanges {
  struct Split {
    uint64_t id = 0;
    PartitionSplit split;
  };
  std::vector<Split> splits;
  ThroughputStates states;  // of all existing models
};

// A past split.
struct PastSplit {
  Micros at = 0;
  PartitionSplit split;
};

// Thread-safe. New rates of the table or of an index are noticed with the next use.
class TableThroughput {
 public:
  // nullopt: nothing is refused, and there are no partitions. `kept`: the stored state.
  explicit TableThroughput(const std::optional<CapacitySettings>& settings,
                           ThroughputStates kept = {});
  TableThroughput(const TableThroughput&) = delete;
  TableThroughput& operator=(const TableThroughput&) = delete;

  bool is_enforced() const { return is_enforced_.load(std::memory_order_relaxed); }
  // From now on, with full buckets; partitions stay as they are.
  void Enforce(const std::optional<CapacitySettings>& settings) ABSL_LOCKS_EXCLUDED(mutex_);
  std::optional<CapacitySettings> settings() const ABSL_LOCKS_EXCLUDED(mutex_);

  // The limit that refuses each use, in their order; all nullopt: the request is admitted.
  ThroughputRefusals Refusals(absl::Span<const ThroughputUse> uses, Micros now)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns whether the stored state must be updated.
  bool Charge(absl::Span<const ThroughputUse> uses, Micros now) ABSL_LOCKS_EXCLUDED(mutex_);
  // Both under one lock, for requests without effects before their cost is known: charges all uses,
  // or none if one is refused.
  ThroughputRefusals RefusalsOrCharge(absl::Span<const ThroughputUse> uses, Micros now,
                                      bool* has_changed) ABSL_LOCKS_EXCLUDED(mutex_);
  // For a single use, as in most requests: looks up its partition once.
  std::optional<ThroughputLimit> RefusalOrCharge(const ThroughputUse& use, Micros now,
                                                 bool* has_changed) ABSL_LOCKS_EXCLUDED(mutex_);
  // Passes the changes since the last successful call to `keep`; calls are serialised. After a
  // failure all of them are passed again. Errors: those of `keep`.
  absl::Status KeepChanges(absl::FunctionRef<absl::Status(const ThroughputChanges&)> keep)
      ABSL_LOCKS_EXCLUDED(keeping_, mutex_);

  // The warm throughput of the table or an index by now, units a second; nullopt if it has never
  // been used. An increase must be stored.
  std::optional<PerKind<int64_t>> FindWarmThroughput(uint64_t id, Micros now)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // The beginnings of the partitions of the table or of an index; empty if it has not been used, or
  // nothing is refused.
  std::vector<std::string> ListPartitions(uint64_t id) const ABSL_LOCKS_EXCLUDED(mutex_);
  // The partitions of the table or of an index; nullopt if it has not been used.
  struct Report {
    TableRates rates;
    ThroughputState state;
    std::vector<PartitionReport> partitions;  // in the order of `state`
    PerKind<Tokens> table_level;
    std::vector<PastSplit> splits;  // the last ones, oldest first
  };
  std::optional<Report> MakeReport(uint64_t id, Micros now) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Entry {
    TableRates rates;
    ThroughputModel model;
    PerKind<int64_t> told_warm;
    std::deque<PastSplit> splits = {};  // the last ones
  };
  Entry& FindEntry(const ThroughputUse& use, Micros now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  ThroughputRefusals FindRefusals(absl::Span<const ThroughputUse> uses, Micros now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ChargeAll(absl::Span<const ThroughputUse> uses, Micros now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // A use that was charged may also have made its partition larger.
  void NoteCharge(const ThroughputUse& use, Micros now, Entry* entry)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Changes in the model must be stored.
  void NoteChanges(uint64_t id, Micros now, Entry* entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::atomic<bool> is_enforced_;
  absl::Mutex keeping_ ABSL_ACQUIRED_BEFORE(mutex_);
  mutable absl::Mutex mutex_;
  std::optional<CapacitySettings> settings_ ABSL_GUARDED_BY(mutex_);
  std::optional<Nodes> nodes_ ABSL_GUARDED_BY(mutex_);
  std::map<uint64_t, Entry> entries_ ABSL_GUARDED_BY(mutex_);
  // For ids without an entry.
  ThroughputStates kept_ ABSL_GUARDED_BY(mutex_);
  std::vector<ThroughputChanges::Split> splits_ ABSL_GUARDED_BY(mutex_);
  bool has_changed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PARTITION_TABLE_THROUGHPUT_H_
