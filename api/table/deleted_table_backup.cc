#include "api/table/deleted_table_backup.h"

#include <memory>

#include "api/table/backup_lookup.h"
#include "api/table/row_count.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith {

namespace {

absl::Status Drop(const OperationContext& context, std::string_view name) {
  const std::shared_ptr<Table> table = context.catalog->Find(name);
  const std::shared_ptr<const TableMeta> meta = table == nullptr ? nullptr : table->meta();
  // The one that was meant is gone, and a client has made one of that name since.
  if (meta != nullptr && meta->status != TableStatus::kDeleting) return absl::OkStatus();
  if (meta == nullptr || !meta->point_in_time_recovery) return context.catalog->Drop(name);
  // No writes are possible any more, so the count is final.
  DYNOLITH_ASSIGN_OR_RETURN(const LiveCounts::Count rows,
                            CountTableRows(*context.store, meta->schema.id));
  BackupMeta backup = NewBackup(context, *meta, Concat(name, "$DeletedTableBackup"));
  backup.type = BackupType::kSystem;
  backup.expires = backup.created + absl::Hours(24 * kSystemBackupDays);
  backup.item_count = rows.rows;
  backup.size_bytes = rows.bytes;
  backup.rows_id = meta->schema.id;
  return context.catalog->Drop(name, &backup);
}

}  // namespace

absl::Status DropTable(const OperationContext& context, std::string_view name) {
  const absl::Status dropped = Drop(context, name);
  return absl::IsNotFound(dropped) ? absl::OkStatus() : dropped;
}

}  // namespace dynolith
