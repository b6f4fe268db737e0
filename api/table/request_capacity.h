// What one request uses of a table whose capacity is enforced, or whose use is watched: admitted
// before it does anything, and charged when it is done (engine/partition/README.md). Of other
// tables nothing is asked or taken.
//
//   RequestCapacity capacity(context, table, meta);
//   ThroughputUse use = capacity.UseOf(AccessKind::kRead, nullptr, row_key);
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

// What is known of a use's cost once it is: units, and the bytes that were read or written, which
// are for observers.
void SetCost(double units, size_t bytes, ThroughputUse* use);

// Of one table and its global indexes. Borrows everything that it is given.
class RequestCapacity {
 public:
  // `table`: nullptr if it is gone meanwhile.
  RequestCapacity(const OperationContext& context, Table* table, const TableMeta& meta)
      : context_(context),
        table_(table),
        meta_(meta),
        is_enforced_(table != nullptr && table->throughput.is_enforced()),
        is_watched_(table != nullptr && table->use.is_watched()),
        names_keys_(is_watched_ && (table->use.watches_keys() || context.observer != nullptr)) {}
  RequestCapacity(RequestCapacity&&) = default;
  RequestCapacity& operator=(RequestCapacity&&) = delete;
  // Keeps what the table's partitions have become, and lets its stream's shards follow. Requires:
  // no row locks are held.
  ~RequestCapacity();

  // Both as they were at the beginning.
  bool is_enforced() const { return is_enforced_; }
  bool is_wanted() const { return is_enforced_ || is_watched_; }

  // What a row key stands for, where keys are watched or accesses observed: ranges of hashes have
  // none.
  enum class Names : uint8_t { kNothing, kPartitionKey, kItem };
  // An access of the row or of what begins there, of an index that is not global, of the table; no
  // cost yet. Borrows the row key, and this. Empty unless is_wanted().
  ThroughputUse UseOf(AccessKind kind, const IndexSchema* index, std::string_view row_key,
                      Names names = Names::kItem) {
    return is_wanted() ? Resolve(kind, index, row_key, names) : ThroughputUse();
  }

  // Whether there is room for all uses. Errors: the exception of the first for which there is none,
  // with the reasons of all (api/request/throttling.h).
  absl::Status Admit(absl::Span<const ThroughputUse> uses) {
    return is_enforced_ && !uses.empty() ? Ask(uses) : absl::OkStatus();
  }
  // Takes what all uses have cost.
  void Charge(absl::Span<const ThroughputUse> uses) {
    if (is_wanted() && !uses.empty()) Take(uses);
  }
  // Both in one, at a lower price, for what has no effects before it knows its cost. Errors:
  // Admit's; nothing is taken then.
  absl::Status AdmitAndCharge(absl::Span<const ThroughputUse> uses) {
    return is_wanted() && !uses.empty() ? AskAndTake(uses) : absl::OkStatus();
  }

 private:
  ThroughputUse Resolve(AccessKind kind, const IndexSchema* index, std::string_view row_key,
                        Names names);
  void NameKeys(const IndexSchema* index, std::string_view row_key, Names names,
                ThroughputUse* use);
  absl::Status Ask(absl::Span<const ThroughputUse> uses);
  void Take(absl::Span<const ThroughputUse> uses);
  absl::Status AskAndTake(absl::Span<const ThroughputUse> uses);

  // Errors: the exception, which is counted, if there is a refusal.
  absl::Status StatusOf(absl::Span<const ThroughputUse> uses, const ThroughputRefusals& refusals);
  // What was charged, is counted where somebody wants to know.
  void Count(absl::Span<const ThroughputUse> uses);
  // Tells the observer what was charged, or, of what was not, what kept it out.
  void Tell(absl::Span<const ThroughputUse> uses,
            absl::Span<const std::optional<ThroughputLimit>> refusals) const;
  const IndexSchema* IndexOf(const ThroughputUse& use) const;
  // When something was asked for last: one look at the clock is enough for it, and some
  // milliseconds are nothing to a bucket.
  Micros Now();

  const OperationContext& context_;
  Table* const table_;
  const TableMeta& meta_;
  const bool is_enforced_;
  const bool is_watched_;
  const bool names_keys_;
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

#endif  // DYNOLITH_API_TABLE_REQUEST_CAPACITY_H_
