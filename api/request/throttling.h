// The answer to a request that exceeds capacity (api/facts/capacity.md §6, §7).
#ifndef DYNOLITH_API_REQUEST_THROTTLING_H_
#define DYNOLITH_API_REQUEST_THROTTLING_H_

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "api/request/operation_context.h"
#include "engine/catalog/table_meta.h"
#include "engine/partition/throughput_model.h"

namespace dynolith {

// An access that a limit of the table, of one of its global indexes or of the account refuses.
struct RefusedAccess {
  const IndexSchema* index = nullptr;  // nullptr: the table's
  AccessKind kind = AccessKind::kRead;
  ThroughputLimit limit = ThroughputLimit::kProvisionedThroughput;
};

// The exception of the first one, with the reasons of all. `account_limit_throttles`: as in
// CapacitySettings. Requires: there is one.
absl::Status Refuse(const OperationContext& context, const TableMeta& meta,
                    absl::Span<const RefusedAccess> refused, bool account_limit_throttles);

}  // namespace dynolith

#endif  // DYNOLITH_API_REQUEST_THROTTLING_H_
