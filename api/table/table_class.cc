#include "api/table/table_class.h"

#include "api/table/messages.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"

namespace dynolith {

absl::StatusOr<TableClass> ParseTableClass(std::string_view name) {
  if (name == "STANDARD") return TableClass::kStandard;
  if (name == "STANDARD_INFREQUENT_ACCESS") return TableClass::kStandardInfrequentAccess;
  return ValidationError(messages::UnknownTableClass());
}

absl::Status ChangeTableClass(TableClass wanted, absl::Time now, TableMeta* meta) {
  const absl::Time window = now - absl::Hours(24) * kTableClassChangesDays;
  if (meta->table_class_changed_before && *meta->table_class_changed_before > window) {
    return MakeError(ErrorKind::kLimitExceeded, messages::TooManyTableClassChanges());
  }
  if (wanted == meta->table_class.value_or(TableClass::kStandard)) return absl::OkStatus();
  meta->table_class = wanted;
  meta->table_class_changed_before = meta->table_class_changed;
  meta->table_class_changed = now;
  return absl::OkStatus();
}

}  // namespace dynolith
