// The rules for throughput and its changes: provisioned units, on-demand maxima, warm throughput,
// account quotas (api/facts/operations.md §5.1, §5.3, api/facts/newest.md §2, api/facts/capacity.md
// §2). An empty `index` name means the table itself.
#ifndef DYNOLITH_API_TABLE_THROUGHPUT_RULES_H_
#define DYNOLITH_API_TABLE_THROUGHPUT_RULES_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

// Read and write units of several tables and indexes together.
struct Units {
  int64_t read = 0;
  int64_t write = 0;

  void Add(const Throughput& throughput) {
    read += throughput.read_units;
    write += throughput.write_units;
  }
};

bool HasBothUnits(const std::optional<ProvisionedThroughput>& throughput);
// Requires: HasBothUnits.
Throughput BuildThroughput(const ProvisionedThroughput& throughput);

// Whether the units are within their absolute bounds. Errors: ValidationException.
absl::Status CheckUnitsInBounds(const std::optional<ProvisionedThroughput>& throughput,
                                std::string_view index);

// The quota of one table or index. Errors: LimitExceededException.
absl::Status CheckUnitsQuota(const OperationContext& context, const Throughput& throughput,
                             std::string_view index);

// The sum of all provisioned tables and indexes. O(tables).
Units ReservedUnits(const Catalog& catalog);
// The account's quota once `released` units of the reserved ones are replaced by `requested`.
// Errors: LimitExceededException.
absl::Status CheckAccountQuota(const OperationContext& context, const Units& reserved,
                               const Units& released, const Units& requested);

// Decreases of the UTC day of `now`.
int64_t DecreasesOn(const Throughput& throughput, absl::Time now);
// Whether `throughput` may become `wanted` now. Errors: LimitExceededException for too many
// decreases.
absl::Status CheckDecrease(const Throughput& throughput, const Throughput& wanted, absl::Time now);
// Sets the units and the times and the number of changes.
void ChangeUnits(const Throughput& wanted, absl::Time now, Throughput* throughput);

// On-demand maxima in a request: one at least, or -1 for none. Errors: ValidationException;
// LimitExceededException above the account's quota. CheckOnDemandMode: the checks that need no
// numbers, ValidationException only.
absl::Status CheckOnDemandMode(const std::optional<OnDemandThroughput>& wanted,
                               BillingMode billing_mode, std::string_view index);
absl::Status CheckOnDemand(const OperationContext& context,
                           const std::optional<OnDemandThroughput>& wanted,
                           BillingMode billing_mode, std::string_view index);
// Changes the present members; -1 clears.
void MergeOnDemand(const OnDemandThroughput& wanted, std::optional<OnDemandThroughput>* current);

// The default warm throughput of a new table or index.
WarmThroughput InitialWarm(BillingMode billing_mode, const Throughput& throughput);
// `current` raised to the level of its billing mode and units: warm throughput only grows.
void RaiseWarm(BillingMode billing_mode, const Throughput& throughput,
               std::optional<WarmThroughput>* current);
// Warm throughput in a CreateTable request or of a new index. Errors: as CheckOnDemand.
absl::Status CheckInitialWarm(const OperationContext& context,
                              const std::optional<WarmThroughputSpecification>& wanted,
                              BillingMode billing_mode, const Throughput& throughput,
                              std::string_view index);
// Raises `current`. Errors: as CheckOnDemand.
absl::Status ChangeWarm(const OperationContext& context, const WarmThroughputSpecification& wanted,
                        std::string_view index, std::optional<WarmThroughput>* current);
// `initial`, with the present members replaced.
WarmThroughput BuildWarm(const std::optional<WarmThroughputSpecification>& wanted,
                         WarmThroughput initial);

// Row 19 for a global index to be created: it has both units if the table has any. Errors:
// ValidationException.
absl::Status CheckIndexThroughput(const SecondaryIndex& index, BillingMode billing_mode);
// The state of a new global index. Requires: its members have been checked.
IndexState BuildIndexState(const SecondaryIndex& index, BillingMode billing_mode);

// Partitions of a new table: enough for its units together and for each kind of warm units
// (api/facts/capacity.md §3). On demand that is 4.
int InitialPartitions(const Throughput& throughput, const WarmThroughput& warm);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_THROUGHPUT_RULES_H_
