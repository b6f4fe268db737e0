#include "api/ops/delete_table.h"

#include <algorithm>
#include <memory>

#include "api/ops/table_description.h"
#include "api/ops/table_status.h"
#include "engine/base/errors.h"
#include "engine/base/messages/tables.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

absl::Status CheckMayBeDeleted(const TableMeta& meta) {
  DYNOLITH_RETURN_IF_ERROR(CheckNotBusy(meta));
  if (meta.deletion_protection) return ValidationError(messages::ProtectedAgainstDeletion());
  if (!IndexesBeingCreated(meta).empty()) {
    return MakeError(ErrorKind::kResourceInUse, messages::IndexesInTheWayOfDeletion());
  }
  return absl::OkStatus();
}

// The service no longer shows global indexes of a table that is being deleted.
void RemoveGlobalIndexes(TableMeta* meta) {
  for (size_t i = meta->schema.indexes.size(); i-- > 0;) {
    if (meta->schema.indexes[i].kind != IndexKind::kGlobal) continue;
    meta->schema.indexes.erase(meta->schema.indexes.begin() + static_cast<ptrdiff_t>(i));
    meta->index_states.erase(meta->index_states.begin() + static_cast<ptrdiff_t>(i));
  }
}

}  // namespace

absl::StatusOr<TableDescription> DeleteTable(OperationContext* context,
                                             const DeleteTableRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindTable(*context, request.table_name));
  // Checked and marked in one step: nothing can be written, changed or protected afterwards.
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const TableMeta> meta,
                            context->catalog->Modify(table.get(), [](TableMeta* changed) {
                              DYNOLITH_RETURN_IF_ERROR(CheckMayBeDeleted(*changed));
                              changed->status = TableStatus::kDeleting;
                              return absl::OkStatus();
                            }));
  TableMeta shown = *meta;
  RemoveGlobalIndexes(&shown);
  DYNOLITH_ASSIGN_OR_RETURN(TableDescription description,
                            Describe(*context, table.get(), shown, Sizes::kRemembered));
  DYNOLITH_RETURN_IF_ERROR(context->catalog->Drop(meta->schema.name));
  return description;
}

absl::Status FinishDeletions(Catalog* catalog) {
  for (const std::shared_ptr<Table>& table : catalog->All()) {
    const std::shared_ptr<const TableMeta> meta = table->meta();
    if (meta->status != TableStatus::kDeleting) continue;
    DYNOLITH_RETURN_IF_ERROR(catalog->Drop(meta->schema.name));
  }
  return absl::OkStatus();
}

}  // namespace dynolith
