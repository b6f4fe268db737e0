// Making, filling and deleting the replica of a table in another region, in steps that may be
// repeated.
#ifndef DYNOLITH_API_REPLICA_REPLICA_UPKEEP_H_
#define DYNOLITH_API_REPLICA_REPLICA_UPKEEP_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "engine/catalog/catalog.h"

namespace dynolith {

bool HasReplica(const TableMeta& meta, std::string_view region);
// Whether the table is a replica of that region's, or what is left of one.
bool IsMember(const TableMeta& meta, std::string_view region);

// Makes the empty table in the replica's region, if it is not there yet, and tells the tables of
// all other replicas (`others`: the other regions' databases) that it is one of them. They send it
// also what they have not sent to the source yet. Returns false if there is another table of that
// name: then the source has one replica less. Errors: the stores'.
absl::StatusOr<bool> MakeReplica(const OperationContext& source, const TableMeta& meta,
                                 const Replica& replica, const OperationContext& target,
                                 const std::vector<const OperationContext*>& others);

// Copies the next rows, at most `most`, and finishes after the last one: then the replica is
// filled, and its table becomes ACTIVE. Returns whether it has finished. Errors: as ReceiveWrite.
absl::StatusOr<bool> FillReplica(const OperationContext& source, Table* table,
                                 std::string_view region, const OperationContext& target,
                                 size_t most);

// Copies the items, and deletions of items, that are newer than those of the target. O(items).
// Errors: as ReceiveWrite.
absl::Status CopyNewer(const OperationContext& source, const TableMeta& meta,
                       const OperationContext& target);

// Marks the table in `target` as DELETING: no client changes it any more.
absl::Status CloseReplica(std::string_view table, const OperationContext& target);
// Removes the table in `target`, if it is a replica of that in the region `from`, then what the
// tables of all others know of it. Errors: the stores'.
absl::Status DeleteReplica(std::string_view table, std::string_view from,
                           const OperationContext& target,
                           const std::vector<const OperationContext*>& others);

}  // namespace dynolith

#endif  // DYNOLITH_API_REPLICA_REPLICA_UPKEEP_H_
