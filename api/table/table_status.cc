#include "api/table/table_status.h"

#include <utility>

#include "api/table/messages.h"
#include "engine/base/errors.h"

namespace dynolith {
namespace {

absl::Status InUse(std::string_view message) {
  return MakeError(ErrorKind::kResourceInUse, message);
}

std::string_view TableClassName(TableClass table_class) {
  return table_class == TableClass::kStandard ? "STANDARD" : "STANDARD_INFREQUENT_ACCESS";
}

absl::Status CheckAgainstUnits(const TableMeta& meta, const UpdateConcerns& wanted) {
  const std::string& table = meta.schema.name;
  if (wanted.stream) return InUse(messages::StreamWhileUnitsAreUpdated(table));
  if (wanted.on_demand && meta.change == TableChange::kBillingMode) {
    return InUse(messages::MaximaWhileModeIsUpdated());
  }
  return InUse(messages::UnitsBeingUpdated(table));
}

absl::Status CheckAgainstStream(const TableMeta& meta, const UpdateConcerns& wanted) {
  const std::string& table = meta.schema.name;
  const std::string& label = meta.stream.label;
  const std::string_view operation = meta.stream.enabled ? "ENABLE" : "DISABLE";
  if (wanted.stream) return InUse(messages::StreamBeingChanged(table, label, operation));
  std::string_view what = "change table IOPS";
  if (wanted.table_class) what = "update table class";
  if (wanted.index_changes) what = "create or delete index";
  return InUse(messages::StreamInTheWay(what, table, label, operation));
}

}  // namespace

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

absl::Status CheckNotUpdating(const TableMeta& meta) {
  if (meta.status != TableStatus::kUpdating) return absl::OkStatus();
  if (meta.change == TableChange::kStream) return InUse(messages::StreamInTheWayOfDeletion());
  if (meta.change == TableChange::kIndexes) return InUse(messages::IndexesInTheWayOfDeletion());
  return InUse(messages::TableBeingUpdated(meta.schema.name));
}

absl::Status CheckNoChangeInTheWay(const TableMeta& meta, const UpdateConcerns& wanted) {
  if (meta.status != TableStatus::kUpdating || !meta.change) return absl::OkStatus();
  if (wanted.deletion_protection) return InUse(messages::ProtectionOfBusyTable());
  switch (*meta.change) {
    case TableChange::kThroughput:
    case TableChange::kBillingMode:
      return CheckAgainstUnits(meta, wanted);
    case TableChange::kStream:
      return CheckAgainstStream(meta, wanted);
    case TableChange::kTableClass:
      if (wanted.table_class) {
        return InUse(
            messages::TableClassBeingUpdated(meta.schema.name, TableClassName(*meta.table_class)));
      }
      return InUse(messages::TableBeingUpdated(meta.schema.name));
    case TableChange::kIndexes:
      // The states of the indexes say more.
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::Status CheckNoIndexInTheWay(const TableMeta& meta, std::string_view what) {
  const std::string& table = meta.schema.name;
  for (const auto& [status, participle] : {std::pair(IndexStatus::kCreating, "created"),
                                           std::pair(IndexStatus::kDeleting, "deleted")}) {
    if (const auto names = IndexesThatAre(status, meta); !names.empty()) {
      return InUse(messages::IndexInTheWay(what, participle, table, names));
    }
  }
  return absl::OkStatus();
}

std::vector<std::string> IndexesThatAre(IndexStatus status, const TableMeta& meta) {
  std::vector<std::string> names;
  for (size_t i = 0; i < meta.schema.indexes.size(); ++i) {
    if (meta.index_states[i].status == status) names.push_back(meta.schema.indexes[i].name);
  }
  return names;
}

}  // namespace dynolith
