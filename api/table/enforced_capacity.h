// What a request uses of a table whose capacity is enforced: asked for before it does anything, and
// charged when it is done (engine/partition/README.md). Where nothing is enforced it does nothing.
#ifndef DYNOLITH_API_TABLE_ENFORCED_CAPACITY_H_
#define DYNOLITH_API_TABLE_ENFORCED_CAPACITY_H_

#include <cstddef>
#include <optional>
#include <string_view>

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
        is_enforced_(table->throughput.is_enforced()) {}
  EnforcedCapacity(const EnforcedCapacity&) = delete;
  EnforcedCapacity& operator=(const EnforcedCapacity&) = delete;
  // Keeps what the table's partitions have become, and lets its stream's shards follow. Requires:
  // no row locks are held.
  ~EnforcedCapacity();

  // As it was at the beginning.
  bool is_enforced() const { return is_enforced_; }

  // An access of the row or of what begins there; of an index that is not global, of the table.
  // Returns its number. Requires: is_enforced().
  size_t Add(AccessKind kind, const IndexSchema* index, std::string_view row_key);
  bool is_used() const { return !uses_.empty(); }
  // What use `i` has cost so far.
  void AddUnits(size_t i, double units);

  // Whether the uses from the `first`-th on may go on. Errors: the exception of the first that may
  // not, with the reasons of all.
  absl::Status Check(size_t first = 0);
  // Takes what all uses have cost.
  void Charge();

 private:
  // Requires: there is a refusal.
  absl::Status Throttled(absl::Span<const ThroughputUse> uses,
                         absl::Span<const std::optional<ThroughputLimit>> refusals) const;
  const IndexSchema* IndexOf(const ThroughputUse& use) const;
  absl::Span<const ThroughputUse> UsesFrom(size_t first);
  // When something was asked for the first time: one look at the clock is enough.
  Micros Now();

  const OperationContext& context_;
  Table* const table_;
  const TableMeta& meta_;
  const bool is_enforced_;
  absl::InlinedVector<ThroughputUse, 2> uses_;
  absl::InlinedVector<TableRates, 2> rates_;  // of uses_
  std::optional<Micros> now_;
  bool have_partitions_changed_ = false;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_ENFORCED_CAPACITY_H_
