#include "api/table/table_lifecycle.h"

#include "api/table/deleted_table_backup.h"
#include "engine/catalog/table_states.h"
#include "engine/stream/stream_log.h"

namespace dynolith {

absl::StatusOr<std::shared_ptr<Table>> FindSettled(const OperationContext& context,
                                                   std::string_view name) {
  if (context.store->read_only()) return context.catalog->Find(name);
  return FindSettled(context.catalog, name, *context.clock,
                     [&context](std::string_view deleted) { return DropTable(context, deleted); });
}

absl::Status SettleAll(const OperationContext& context) {
  return SettleAll(context.catalog, *context.clock,
                   [&context](std::string_view deleted) { return DropTable(context, deleted); });
}

absl::Status FollowNewStream(const OperationContext& context, const TableMeta& meta) {
  if (context.streams == nullptr || !meta.stream.enabled) return absl::OkStatus();
  return context.streams->Follow(meta);
}

absl::Status FollowStream(const OperationContext& context, std::string_view table_name) {
  if (context.streams == nullptr) return absl::OkStatus();
  return context.streams->FollowTable(*context.catalog, table_name);
}

}  // namespace dynolith
