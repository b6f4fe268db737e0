// Makes a new table from another one's state at some time: the common part of restores from a
// backup and to a point in time. A restore operation
//
//   1. finds its source: the table as it was, and a way to its rows;
//   2. calls RestoreTable with a function that writes those rows.
#ifndef DYNOLITH_API_BACKUP_RESTORE_H_
#define DYNOLITH_API_BACKUP_RESTORE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// The settings of the restored table that replace the source's.
struct RestoreOverrides {
  std::optional<BillingMode> billing_mode;
  std::optional<std::vector<SecondaryIndex>> global_secondary_indexes;
  std::optional<std::vector<SecondaryIndex>> local_secondary_indexes;
  std::optional<ProvisionedThroughput> provisioned_throughput;
  std::optional<OnDemandThroughput> on_demand_throughput;
  std::optional<SseSpecification> sse_specification;
  std::optional<std::vector<VectorIndex>> vector_indexes;
};

// Those of a RestoreTableFromBackupRequest or a RestoreTableToPointInTimeRequest.
template <typename Request>
RestoreOverrides ToRestoreOverrides(const Request& request) {
  return {.billing_mode = request.billing_mode_override,
          .global_secondary_indexes = request.global_secondary_index_override,
          .local_secondary_indexes = request.local_secondary_index_override,
          .provisioned_throughput = request.provisioned_throughput_override,
          .on_demand_throughput = request.on_demand_throughput_override,
          .sse_specification = request.sse_specification_override,
          .vector_indexes = request.vector_index_override};
}

struct Restore {
  std::string target_table_name;
  RestoreOverrides overrides;
  // The table as it was. Its status, ids and other fields that a restored table does not have are
  // ignored.
  TableMeta source;
  // The new table's record of its origin.
  RestoreSummary summary;
};

// Whether a table is still shown as being restored from the backup. Errors: only the store's.
absl::StatusOr<bool> IsBeingRestored(const OperationContext& context, std::string_view backup_arn);

// Writes all rows of the new table's own family under the id, for instance with RowLoader
// (row_copy.h). The caller must keep its source rows alive (IdLease). Its error is the restore's.
using FillRows = absl::FunctionRef<absl::Status(StorageId target)>;

// Checks the overrides and the target, lets `fill` write the rows, adds the entries of the indexes,
// and only then publishes the table: in one commit, so that a failure or a crash before leaves
// nothing. The table has the source's keys, indexes, capacity, table class and encryption, unless
// overridden, and nothing else of it (no tags, policy, time to live, stream, point-in-time recovery
// or protection against deletion). Returns it as CREATING, although it is finished, unless
// creations have a delay. Errors: ValidationException; TableAlreadyExistsException;
// TableInUseException; LimitExceededException; the store's. O(rows * indexes).
absl::StatusOr<TableDescription> RestoreTable(const OperationContext& context,
                                              const Restore& restore, FillRows fill);

}  // namespace dynolith

#endif  // DYNOLITH_API_BACKUP_RESTORE_H_
