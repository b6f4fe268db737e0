// One request's use of a table whose capacity is enforced, or whose use is watched: admitted before
// it does anything, and charged when it is done (engine/partition/README.md). For other tables
// nothing is done.
//
//   RequestCapacity capacity(context, table, meta);
//   ThroughputUse use = capacity.MakeUse(AccessKind::kRead, nullptr, row_key);
//   DYNOLITH_RETURN_IF_ERROR(capacity.Admit({use}));
//   …
//   SetCost(ReadUnits(bytes, mode), bytes, &use);
//   capacity.Charge({use});
#ifndef DYNOLITH_API_TABLE_REQUEST_CAPACITY_H_
#define DYNOLITH_API_TABLE_REQUEST_CAPACITY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "api/request/operation_context.h"
#include "engine/catalog/catalog.h"
#include "engine/partition/table_throughput.h"

namespace dynolith {

// The cost of a use, once it is known: units, and the bytes read or written, which are for
// observers.
void SetCost(double units, size_t bytes, ThroughputUse* use);

// For one table and its global indexes. Borrows all arguments.
class RequestCapacity {
 public:
  // `table`: nullptr if it has been dropped meanwhile.
  RequestCapacity(const OperationContext& context, Table* table, const TableMeta& meta)
      : context_(context),
        table_(table),
        meta_(meta),
        is_enforced_(table != nullptr && table->throughput.is_enforced()),
        is_watched_(table != nullptr && table->use.is_watched()),
        names_keys_(is_watched_ && (table->use.watches_keys() || context.observer != nullptr)) {}
  RequestCapacity(RequestCapacity&&) = default;
  RequestCapacity& operator=(RequestCapacity&&) = delete;
  // Stores the present partitions of the table, and lets its stream's shards follow. Requires: no
  // row locks are held.
  ~RequestCapacity();

  // Both as they were at the beginning.
  bool is_enforced() const { return is_enforced_; }
  bool is_metered() const { return is_enforced_ || is_watched_; }

  // What a row key names, where keys are watched or accesses observed: ranges of hashes name
  // nothing.
  enum class Names : uint8_t { kNothing, kPartitionKey, kItem };
  // An access of the row or of the range that begins there, in an index that is not global, or in
  // the table; without a cost yet. Borrows the row key, and this. Empty unless is_metered().
  ThroughputUse MakeUse(AccessKind kind, const IndexSchema* index, std::string_view row_key,
                        Names names = Names::kItem) {
    return is_metered() ? Resolve(kind, index, row_key, names) : ThroughputUse();
  }

  // Whether there is room for all uses. Errors: the exception of the first for which there is none,
  // with the reasons of all (api/request/throttling.h).
  absl::Status Admit(absl::Span<const ThroughputUse> uses) {
    return is_enforced_ && !uses.empty() ? AdmitUses(uses) : absl::OkStatus();
  }
  // Charges the costs of all uses.
  void Charge(absl::Span<const ThroughputUse> uses) {
    if (is_metered() && !uses.empty()) ChargeUses(uses);
  }
  // Both in one, at a lower price, for requests without effects before their cost is known. Errors:
  // Admit's; nothing is charged then.
  absl::Status AdmitAndCharge(absl::Span<const ThroughputUse> uses) {
    return is_metered() && !uses.empty() ? AdmitAndChargeUses(uses) : absl::OkStatus();
  }

 private:
  ThroughputUse Resolve(AccessKind kind, const IndexSchema* index, std::string_view row_key,
                        Names names);
  void NameKeys(const IndexSchema* index, std::string_view row_key, Names names,
                ThroughputUse* use);
  absl::Status AdmitUses(absl::Span<const ThroughputUse> uses);
  void ChargeUses(absl::Span<const ThroughputUse> uses);
  absl::Status AdmitAndChargeUses(absl::Span<const ThroughputUse> uses);

  // Errors: the exception, which is counted, if there is a refusal.
  absl::Status ToThrottlingError(absl::Span<const ThroughputUse> uses,
                                 const ThroughputRefusals& refusals);
  // Counts the charged uses in the statistics, where they are requested.
  void Count(absl::Span<const ThroughputUse> uses);
  // Reports charged uses to the observer, and for refused ones the limit.
  void NotifyObserver(absl::Span<const ThroughputUse> uses,
                      absl::Span<const std::optional<ThroughputLimit>> refusals) const;
  const IndexSchema* FindIndex(const ThroughputUse& use) const;
  // The time of the last call: one reading of the clock per request suffices, as some milliseconds
  // do not matter to a bucket.
  Micros Now();

  const OperationContext& context_;
  Table* const table_;
  const TableMeta& meta_;
  const bool is_enforced_;
  const bool is_watched_;
  const bool names_keys_;
  // For uses in an index in shards: their keys in the first shard, by which they are named.
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

#endif  // DYNOLITH_API_TABLE_REQUEST_CAPACITY_H_
