#include "api/control/delete_table.h"

#include <memory>
#include <string>

#include "api/control/messages.h"
#include "api/control/replicas.h"
#include "api/table/deleted_table_backup.h"
#include "api/table/messages.h"
#include "api/table/table_description.h"
#include "api/table/table_lifecycle.h"
#include "api/table/table_status.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/table_states.h"

namespace dynolith {
namespace {

absl::Status CheckMayBeDeleted(const OperationContext& context, absl::Time now,
                               const TableMeta& meta) {
  DYNOLITH_RETURN_IF_ERROR(CheckNotBusy(meta));
  DYNOLITH_RETURN_IF_ERROR(CheckNotUpdating(meta));
  const std::string& name = meta.schema.name;
  if (meta.tags_until && now < *meta.tags_until) {
    return MakeError(ErrorKind::kResourceInUse, messages::TagsInTheWayOfDeletion(name));
  }
  if (meta.policy && now < meta.policy->changed + context.delays.update) {
    return MakeError(ErrorKind::kResourceInUse, messages::PolicyInTheWayOfDeletion(name));
  }
  DYNOLITH_RETURN_IF_ERROR(CheckMayLeave(meta, now));
  if (meta.deletion_protection) return ValidationError(messages::ProtectedAgainstDeletion());
  for (const IndexState& state : meta.index_states) {
    if (state.status == IndexStatus::kActive) continue;
    return MakeError(ErrorKind::kResourceInUse, messages::IndexesInTheWayOfDeletion());
  }
  return absl::OkStatus();
}

// Its items stay until the others have what was written here.
absl::StatusOr<TableDescription> DeleteReplica(const OperationContext& context, Table* table,
                                               const TableMeta& meta) {
  DYNOLITH_RETURN_IF_ERROR(CheckMayBeDeleted(context, context.clock->Now(), meta));
  if (meta.is_strong) return ValidationError(messages::OnlyOneStrongReplicaDeleted());
  DYNOLITH_RETURN_IF_ERROR(LeaveOthers(context, meta));
  TableMeta shown = meta;
  shown.status = TableStatus::kDeleting;
  DYNOLITH_ASSIGN_OR_RETURN(TableDescription description,
                            Describe(context, table, shown, Sizes::kRemembered));
  HideDeleted(&description);
  return description;
}

}  // namespace

absl::StatusOr<TableDescription> DeleteTable(const OperationContext& context,
                                             const DeleteTableRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindTable(context, request.table_name));
  const absl::Time now = context.clock->Now();
  const absl::Duration delay = context.delays.remove;
  if (const auto present = table->meta(); !present->replicas.empty()) {
    return DeleteReplica(context, table.get(), *present);
  }
  // Checked and marked in one step, so that nothing is written, changed or protected afterwards.
  const auto mark = [&](TableMeta* changed) {
    DYNOLITH_RETURN_IF_ERROR(CheckMayBeDeleted(context, now, *changed));
    DelayDeletion(now, delay, changed);
    return absl::OkStatus();
  };
  const std::string name = table->meta()->schema.name;
  const absl::Status gone = MakeError(ErrorKind::kResourceNotFound, messages::TableNotFound(name));
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const TableMeta> meta,
                            ChangeTable(context.catalog, table.get(), mark, gone));
  DYNOLITH_ASSIGN_OR_RETURN(TableDescription description,
                            Describe(context, table.get(), *meta, Sizes::kRemembered));
  HideDeleted(&description);
  if (!meta->status_until) DYNOLITH_RETURN_IF_ERROR(DropTable(context, name));
  DYNOLITH_RETURN_IF_ERROR(FollowStream(context, name));
  return description;
}

absl::Status FinishDeletions(const OperationContext& context) {
  for (const std::shared_ptr<Table>& table : context.catalog->All()) {
    const std::shared_ptr<const TableMeta> meta = table->meta();
    // Of a replica the other regions get the rest of its changes first (api/replica).
    if (meta->status != TableStatus::kDeleting || !meta->replicas.empty()) continue;
    DYNOLITH_RETURN_IF_ERROR(DropTable(context, meta->schema.name));
  }
  return absl::OkStatus();
}

}  // namespace dynolith
