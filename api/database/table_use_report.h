// Statistics of tables, for people: as Database::ReportUse, Database::ReportHotKeys and
// Database::ReportHeat.
#ifndef DYNOLITH_API_DATABASE_TABLE_USE_REPORT_H_
#define DYNOLITH_API_DATABASE_TABLE_USE_REPORT_H_

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/request/operation_context.h"
#include "dynolith/heat_report.h"
#include "dynolith/hot_keys.h"
#include "dynolith/use_report.h"

namespace dynolith {

std::vector<UseReport> ReportTableUse(const OperationContext& context);
absl::StatusOr<HotKeyReport> ReportTableHotKeys(const OperationContext& context,
                                                std::string_view table, std::string_view index);
absl::Status WatchTableHeat(const OperationContext& context, std::string_view table, bool watches);
absl::StatusOr<HeatReport> ReportTableHeat(const OperationContext& context, std::string_view table,
                                           std::string_view index, absl::Time since);

}  // namespace dynolith

#endif  // DYNOLITH_API_DATABASE_TABLE_USE_REPORT_H_
