#include "api/table/table_gate.h"

#include <algorithm>

#include "api/request/arn.h"
#include "api/request/messages.h"
#include "api/table/table_lifecycle.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

absl::Status NotFound() {
  return MakeError(ErrorKind::kResourceNotFound, messages::ResourceNotFound());
}

absl::Status CheckUsable(const TableMeta& meta) {
  const bool usable =
      meta.status != TableStatus::kCreating && meta.status != TableStatus::kDeleting;
  return usable ? absl::OkStatus() : NotFound();
}

}  // namespace

absl::StatusOr<std::shared_ptr<Table>> FindUsableTable(const OperationContext& context,
                                                       std::string_view name_or_arn) {
  const absl::StatusOr<std::string_view> name = ResolveTableName(context, name_or_arn);
  if (!name.ok()) {
    return KindOf(name.status()) == ErrorKind::kResourceNotFound ? NotFound() : name.status();
  }
  DYNOLITH_ASSIGN_OR_RETURN(std::shared_ptr<Table> table, FindSettled(context, *name));
  if (table == nullptr) return NotFound();
  DYNOLITH_RETURN_IF_ERROR(CheckUsable(*table->meta()));
  return table;
}

TableGates::~TableGates() {
  for (Table* table : locked_) table->gate.ReaderUnlock();
}

absl::StatusOr<size_t> TableGates::Add(const OperationContext& context,
                                       std::string_view name_or_arn) {
  DYNOLITH_ASSIGN_OR_RETURN(std::shared_ptr<Table> table, FindUsableTable(context, name_or_arn));
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].table == table) return i;
  }
  entries_.push_back({std::move(table), nullptr});
  return entries_.size() - 1;
}

absl::Status TableGates::Lock() {
  // All or none: the destructor unlocks those in the list.
  locked_.reserve(entries_.size());
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
