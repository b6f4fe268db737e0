#include "api/control/list_tables.h"

#include <string>
#include <utility>
#include <vector>

#include "api/table/table_lifecycle.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"

namespace dynolith {

absl::StatusOr<ListTablesOutput> ListTables(const OperationContext& context,
                                            const ListTablesRequest& request) {
  if (context.delays.remove > absl::ZeroDuration()) {
    DYNOLITH_RETURN_IF_ERROR(SettleAll(context));
  }
  const auto limit = static_cast<size_t>(request.limit.value_or(kListTablesMax));
  // Reads one more than requested, to know whether more remain.
  std::vector<std::string> names =
      context.catalog->Names(request.exclusive_start_table_name.value_or(""), limit + 1);
  ListTablesOutput output;
  if (names.size() > limit) {
    names.resize(limit);
    output.last_evaluated_table_name = names.back();
  }
  output.table_names = std::move(names);
  return output;
}

}  // namespace dynolith
