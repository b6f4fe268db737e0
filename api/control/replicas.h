// Replicas of global tables of version 2019.11.21 (api/facts/regions.md §1): UpdateTable's
// ReplicaUpdates, changes that all replicas have in common, and the end of a replica. These only
// write into the tables' metadata what is wanted; api/replica does it.
#ifndef DYNOLITH_API_CONTROL_REPLICAS_H_
#define DYNOLITH_API_CONTROL_REPLICAS_H_

#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// Whether the request creates, changes or deletes replicas.
bool ChangesReplicas(const UpdateTableRequest& request);
// Requires: ChangesReplicas, CheckUpdateRequest, and there are other regions. Errors:
// ValidationException; ResourceInUseException for a table that is being changed.
absl::StatusOr<TableDescription> UpdateReplicas(const OperationContext& context,
                                                const UpdateTableRequest& request);

// What is set for one replica, in the metadata of its table.
void ApplyReplicaSettings(const ReplicaSettings& settings, TableMeta* meta);

// Makes a change of the table in its other regions as well: `change` gets the database of each, as
// if it were alone. Errors: that of the first region that fails; nothing is changed after it.
absl::Status ChangeOthers(const OperationContext& context, const TableMeta& meta,
                          absl::FunctionRef<absl::Status(const OperationContext&)> change);

// ResourceInUseException while a replica is being made or deleted.
absl::Status CheckReplicasSettled(const TableMeta& meta);
// Errors: also ValidationException for a table that has recently filled a replica.
absl::Status CheckMayLeave(const TableMeta& meta, absl::Time now);
// DeleteTable of a table with replicas: the others go on, and the first of them deletes this one.
// Errors: those of RegionPeers.
absl::Status LeaveOthers(const OperationContext& context, const TableMeta& meta);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_REPLICAS_H_
