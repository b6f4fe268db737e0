#include "api/control/describe_table.h"

#include <memory>

#include "api/table/kept_partitions.h"
#include "api/table/table_description.h"
#include "engine/base/status_macros.h"

namespace dynolith {

absl::StatusOr<TableDescription> DescribeTable(const OperationContext& context,
                                               const DescribeTableRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindTable(context, request.table_name));
  TableMeta meta = *table->meta();
  RaiseWarmToGrown(context, table.get(), &meta);
  KeepPartitions(context, table.get(), meta);
  return Describe(context, table.get(), meta, Sizes::kCount);
}

}  // namespace dynolith
