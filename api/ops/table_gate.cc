#include "api/ops/table_gate.h"

#include <algorithm>

#include "api/ops/table_lifecycle.h"
#include "engine/base/errors.h"
#include "engine/base/messages/items.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

absl::Status CheckUsable(const TableMeta& meta) {
  if (meta.status == TableStatus::kCreating || meta.status == TableStatus::kDeleting) {
    return MakeError(ErrorKind::kResourceNotFound, messages::ResourceNotFound());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::shared_ptr<Table>> FindUsableTable(const OperationContext& context,
                                                       std::string_view name) {
  DYNOLITH_ASSIGN_OR_RETURN(std::shared_ptr<Table> table, FindSettled(context, name));
  if (table == nullptr) {
    return MakeError(ErrorKind::kResourceNotFound, messages::ResourceNotFound());
  }
  DYNOLITH_RETURN_IF_ERROR(CheckUsable(*table->meta()));
  return table;
}

TableGates::~TableGates() {
  for (Table* table : locked_) table->gate.ReaderUnlock();
}

absl::StatusOr<size_t> TableGates::Add(const OperationContext& context, std::string_view name) {
  DYNOLITH_ASSIGN_OR_RETURN(std::shared_ptr<Table> table, FindUsableTable(context, name));
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].table == table) return i;
  }
  entries_.push_back({std::move(table), nullptr});
  return entries_.size() - 1;
}

absl::Status TableGates::Lock() {
  for (const Entry& entry : entries_) locked_.push_back(entry.table.get());
  std::sort(locked_.begin(), locked_.end());
  for (Table* table : locked_) table->gate.ReaderLock();
  for (Entry& entry : entries_) {
    entry.meta = entry.table->meta();
    DYNOLITH_RETURN_IF_ERROR(CheckUsable(*entry.meta));
  }
  return absl::OkStatus();
}

}  // namespace dynolith
