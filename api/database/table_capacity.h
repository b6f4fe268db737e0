// Sets and reports a table's capacity: converts between the public options and the model.
#ifndef DYNOLITH_API_DATABASE_TABLE_CAPACITY_H_
#define DYNOLITH_API_DATABASE_TABLE_CAPACITY_H_

#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/capacity_options.h"
#include "dynolith/capacity_report.h"
#include "engine/partition/capacity_settings.h"

namespace dynolith {

// nullopt: nothing is refused. Errors: kInvalidArgument unless the scale is a number above 0.
absl::StatusOr<std::optional<CapacitySettings>> ToCapacitySettings(const CapacityOptions& options);

// As Database::SetCapacity and Database::ReportCapacity.
absl::Status SetTableCapacity(const OperationContext& context, std::string_view table,
                              const CapacityOptions& options);
absl::StatusOr<CapacityReport> ReportTableCapacity(const OperationContext& context,
                                                   std::string_view table);

}  // namespace dynolith

#endif  // DYNOLITH_API_DATABASE_TABLE_CAPACITY_H_
