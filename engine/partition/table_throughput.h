// What a table and its global indexes can take, for requests from many threads.
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

// What one request uses of the table or of one index. Borrows.
struct ThroughputUse {
  uint64_t id = 0;  // of the table or index; the same for all times
  const TableRates* rates = nullptr;
  AccessKind kind = AccessKind::kRead;
  AccessPosition position;
  Tokens tokens = 0;  // what it has cost, once that is known
  int64_t bytes = 0;  // that what is stored there has grown by, or, below zero, shrunk
  // Bytes that were read or written, where accesses are watched; 0: it is not known.
  int64_t item_size = 0;
  // Where hot keys are watched or accesses observed, the whole position of the key, and how many of
  // its bytes name a partition key, and how many an item that has a sort key; 0: none do.
  std::string_view named_key;
  size_t partition_key_bytes = 0;
  size_t item_bytes = 0;
};

// Of some uses, in their order; nullopt: it may go on.
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
  ThroughputStates states;  // of all models there are
};

// A split that was.
struct PastSplit {
  Micros at = 0;
  PartitionSplit split;
};

// Thread-safe. New rates of the table or of an index are noticed with the next use.
class TableThroughput {
 public:
  // nullopt: nothing is refused, and nothing is known of partitions. `kept`: what there was before.
  explicit TableThroughput(const std::optional<CapacitySettings>& settings,
                           ThroughputStates kept = {});
  TableThroughput(const TableThroughput&) = delete;
  TableThroughput& operator=(const TableThroughput&) = delete;

  bool is_enforced() const { return is_enforced_.load(std::memory_order_relaxed); }
  // From now on, with full buckets; partitions stay as they are.
  void Enforce(const std::optional<CapacitySettings>& settings) ABSL_LOCKS_EXCLUDED(mutex_);
  std::optional<CapacitySettings> settings() const ABSL_LOCKS_EXCLUDED(mutex_);

  // What keeps each use out, in their order; all nullopt: the request may go on.
  ThroughputRefusals Refusals(absl::Span<const ThroughputUse> uses, Micros now)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether something has changed that has to be kept.
  bool Charge(absl::Span<const ThroughputUse> uses, Micros now) ABSL_LOCKS_EXCLUDED(mutex_);
  // Both under one lock, for what has no effects before it knows its cost: charges all uses, or,
  // if one is kept out, none.
  ThroughputRefusals RefusalsOrCharge(absl::Span<const ThroughputUse> uses, Micros now,
                                      bool* has_changed) ABSL_LOCKS_EXCLUDED(mutex_);
  // Of one use, as most requests have: looks for its partition once.
  std::optional<ThroughputLimit> RefusalOrCharge(const ThroughputUse& use, Micros now,
                                                 bool* has_changed) ABSL_LOCKS_EXCLUDED(mutex_);
  // Tells what has changed since it was kept the last time; one call after the other. What fails is
  // told again, all of it. Errors: those of `keep`.
  absl::Status KeepChanges(absl::FunctionRef<absl::Status(const ThroughputChanges&)> keep)
      ABSL_LOCKS_EXCLUDED(keeping_, mutex_);

  // What the table or an index is warm for by now, units a second; nullopt if nothing has ever been
  // used of it. What has grown has to be kept.
  std::optional<PerKind<int64_t>> WarmOf(uint64_t id, Micros now) ABSL_LOCKS_EXCLUDED(mutex_);
  // Where the partitions of the table or of an index begin; empty if nothing has been used of it,
  // or nothing is refused.
  std::vector<std::string> PartitionsOf(uint64_t id) const ABSL_LOCKS_EXCLUDED(mutex_);
  // The partitions of the table or of an index; nullopt if nothing has been used of it.
  struct Report {
    TableRates rates;
    ThroughputState state;
    std::vector<PartitionReport> partitions;  // in the order of `state`
    PerKind<Tokens> table_level;
    std::vector<PastSplit> splits;  // the last of them, oldest first
  };
  std::optional<Report> ReportOf(uint64_t id, Micros now) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Entry {
    TableRates rates;
    ThroughputModel model;
    PerKind<int64_t> told_warm;
    std::deque<PastSplit> splits = {};  // the last of them
  };
  Entry& EntryOf(const ThroughputUse& use, Micros now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  ThroughputRefusals RefusalsOf(absl::Span<const ThroughputUse> uses, Micros now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ChargeAll(absl::Span<const ThroughputUse> uses, Micros now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // A use that was charged may also have made its partition larger.
  void NoteCharge(const ThroughputUse& use, Micros now, Entry* entry)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // What has happened in the model has to be kept.
  void NoteChanges(uint64_t id, Micros now, Entry* entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::atomic<bool> is_enforced_;
  absl::Mutex keeping_ ABSL_ACQUIRED_BEFORE(mutex_);
  mutable absl::Mutex mutex_;
  std::optional<CapacitySettings> settings_ ABSL_GUARDED_BY(mutex_);
  std::optional<Nodes> nodes_ ABSL_GUARDED_BY(mutex_);
  std::map<uint64_t, Entry> entries_ ABSL_GUARDED_BY(mutex_);
  // Of ids without an entry.
  ThroughputStates kept_ ABSL_GUARDED_BY(mutex_);
  std::vector<ThroughputChanges::Split> splits_ ABSL_GUARDED_BY(mutex_);
  bool has_changed_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PARTITION_TABLE_THROUGHPUT_H_
