#include "api/control/describe_time_to_live.h"

#include "api/control/messages.h"
#include "api/table/table_description.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"

namespace dynolith {

absl::StatusOr<DescribeTimeToLiveOutput> DescribeTimeToLive(
    const OperationContext& context, const DescribeTimeToLiveRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindTable(context, request.table_name));
  const std::shared_ptr<const TableMeta> meta = table->meta();
  if (meta->status == TableStatus::kCreating) {
    return ValidationError(messages::TimeToLiveWhile("CREATING"));
  }
  if (meta->status == TableStatus::kDeleting) {
    return ValidationError(messages::TimeToLiveWhile("DELETING"));
  }
  DescribeTimeToLiveOutput output;
  output.time_to_live_description.time_to_live_status = TimeToLiveStatus::kDisabled;
  if (meta->time_to_live.enabled) {
    output.time_to_live_description.time_to_live_status = TimeToLiveStatus::kEnabled;
    output.time_to_live_description.attribute_name = meta->time_to_live.attribute_name;
  }
  return output;
}

}  // namespace dynolith
