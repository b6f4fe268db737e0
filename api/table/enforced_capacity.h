// What a request uses of a table whose capacity is enforced, or whose use is watched: asked for
// before it does anything, and charged when it is done (engine/partition/README.md). Elsewhere it
// does nothing.
#ifndef DYNOLITH_API_TABLE_ENFORCED_CAPACITY_H_
#define DYNOLITH_API_TABLE_ENFORCED_CAPACITY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "api/request/operation_context.h"
#include "engine/catalog/catalog.h"
#include "engine/partition/table_throughput.h"

namespace dynolith {

// Of one table and its indexes. Borrows everything that it is given.
class EnforcedCapacity {
 public:
  EnforcedCapacity(const OperationContext& context, Table* table, const TableMeta& meta)
      : context_(context),
        table_(table),
        meta_(meta),
        is_enforced_(table->throughput.is_enforced()),
        is_watched_(table->use.is_watched()),
        names_keys_(is_watched_ && (table->use.watches_keys() || context.observer != nullptr)) {}
  EnforcedCapacity(EnforcedCapacity&&) = default;
  EnforcedCapacity& operator=(EnforcedCapacity&&) = delete;
  // Keeps what the table's partitions have become, and lets its stream's shards follow. Requires:
  // no row locks are held.
  ~EnforcedCapacity();

  // Both as they were at the beginning.
  bool is_enforced() const { return is_enforced_; }
  bool wants_uses() const { return is_enforced_ || is_watched_; }

  // What a row key stands for, where keys are watched or accesses observed: ranges of hashes have
  // none.
  enum class Names : uint8_t { kNothing, kPartitionKey, kItem };
  // An access of the row or of what begins there; of an index that is not global, of the table.
  // Returns its number. Requires: wants_uses().
  size_t Add(AccessKind kind, const IndexSchema* index, std::string_view row_key,
             Names names = Names::kItem);
  bool is_used() const { return !uses_.empty(); }
  // What use `i` has cost so far.
  void AddUnits(size_t i, double units);
  // How much it has read or written there, for observers.
  void AddSize(size_t i, size_t bytes) { uses_[i].item_size += static_cast<int64_t>(bytes); }
  // What is stored there has grown by so much, or, below zero, shrunk: partitions split for size.
  void AddBytes(size_t i, int64_t bytes) { uses_[i].bytes += bytes; }

  // Whether the uses from the `first`-th on may go on. Errors: the exception of the first that may
  // not, with the reasons of all.
  absl::Status Check(size_t first = 0);
  // Takes what all uses have cost.
  void Charge();
  // Both in one, at a lower price, for what has no effects before it knows its cost. Errors:
  // Check's; nothing is taken then.
  absl::Status CheckAndCharge();

 private:
  void NameKeys(const IndexSchema* index, std::string_view row_key, Names names,
                ThroughputUse* use);
  absl::Status StatusOf(absl::Span<const ThroughputUse> uses, const ThroughputRefusals& refusals);
  // Requires: there is a refusal.
  absl::Status Throttled(absl::Span<const ThroughputUse> uses,
                         absl::Span<const std::optional<ThroughputLimit>> refusals) const;
  // What was charged, is counted where somebody wants to know.
  void Count(absl::Span<const ThroughputUse> uses);
  // Tells the observer what was charged, or, of what was not, what kept it out.
  void Tell(absl::Span<const ThroughputUse> uses,
            absl::Span<const std::optional<ThroughputLimit>> refusals) const;
  const IndexSchema* IndexOf(const ThroughputUse& use) const;
  // When something was asked for the first time: one look at the clock is enough, and some
  // milliseconds are nothing to a bucket.
  Micros Now();

  const OperationContext& context_;
  Table* const table_;
  const TableMeta& meta_;
  const bool is_enforced_;
  const bool is_watched_;
  const bool names_keys_;
  absl::InlinedVector<ThroughputUse, 2> uses_;
  // Of uses in an index in shards: as its keys are named, in the first one.
  std::vector<std::unique_ptr<const std::string>> first_shard_keys_;
  std::optional<Micros> now_;
  struct Flag {
    Flag() = default;
    Flag(Flag&& other) noexcept : is_set(std::exchange(other.is_set, false)) {}

    bool is_set = false;
  };
  Flag have_partitions_changed_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_ENFORCED_CAPACITY_H_
