#include "api/table/table_gate.h"

#include <algorithm>
#include <vector>

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

absl::StatusOr<size_t> TableGates::Add(const OperationContext& context,
                                       std::string_view name_or_arn) {
  DYNOLITH_ASSIGN_OR_RETURN(std::shared_ptr<Table> table, FindUsableTable(context, name_or_arn));
  context_ = &context;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].table == table) return i;
  }
  entries_.push_back({std::move(table), nullptr});
  return entries_.size() - 1;
}

void TableGates::LockAll() {
  // All or none: UnlockAll unlocks those in the list.
  locked_.reserve(entries_.size());
  for (const Entry& entry : entries_) locked_.push_back(entry.table.get());
  std::sort(locked_.begin(), locked_.end());
  for (Table* table : locked_) table->gate.ReaderLock();
  for (Entry& entry : entries_) entry.meta = entry.table->meta();
}

void TableGates::UnlockAll() {
  for (Table* table : locked_) table->gate.ReaderUnlock();
  locked_.clear();
}

bool TableGates::HasStrong() const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [](const Entry& entry) { return entry.meta->is_strong; });
}

absl::Status TableGates::BeginStrong() {
  std::vector<std::string_view> names;
  for (const Entry& entry : entries_) names.emplace_back(entry.meta->schema.name);
  DYNOLITH_ASSIGN_OR_RETURN(strong_use_,
                            context_->peers->UseStrong(*context_, names, StrongAccess::kWrite));
  return absl::OkStatus();
}

absl::Status TableGates::FinishStrong() {
  UnlockAll();
  return strong_use_->CarryOver();
}

absl::Status TableGates::Lock() {
  LockAll();
  if (!entries_.empty() && context_->peers != nullptr && HasStrong()) {
    // The use waits, so it begins before the gates are locked.
    UnlockAll();
    DYNOLITH_RETURN_IF_ERROR(BeginStrong());
    LockAll();
  }
  for (const Entry& entry : entries_) DYNOLITH_RETURN_IF_ERROR(CheckUsable(*entry.meta));
  return absl::OkStatus();
}

}  // namespace dynolith
