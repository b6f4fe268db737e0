#include "api/ops/table_status.h"

#include "engine/base/errors.h"
#include "engine/base/messages/tables.h"

namespace dynolith {

absl::Status CheckNotBusy(const TableMeta& meta) {
  const std::string& name = meta.schema.name;
  if (meta.status == TableStatus::kCreating) {
    return MakeError(ErrorKind::kResourceInUse, messages::TableBeingCreated(name));
  }
  if (meta.status == TableStatus::kDeleting) {
    return MakeError(ErrorKind::kResourceInUse, messages::TableBeingDeleted(name));
  }
  return absl::OkStatus();
}

std::vector<std::string> IndexesBeingCreated(const TableMeta& meta) {
  std::vector<std::string> names;
  for (size_t i = 0; i < meta.schema.indexes.size(); ++i) {
    if (meta.index_states[i].status == IndexStatus::kCreating) {
      names.push_back(meta.schema.indexes[i].name);
    }
  }
  return names;
}

}  // namespace dynolith
