// The storage class of a table: a name that is stored and described; all rows are stored alike.
#ifndef DYNOLITH_API_TABLE_TABLE_CLASS_H_
#define DYNOLITH_API_TABLE_TABLE_CLASS_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// Errors: ValidationException.
absl::StatusOr<TableClass> ParseTableClass(std::string_view name);

// Errors: LimitExceededException at the third change in 30 days.
absl::Status ChangeTableClass(TableClass wanted, absl::Time now, TableMeta* meta);

}  // namespace dynolith

#endif  // DYNOLITH_API_TABLE_TABLE_CLASS_H_
