#include "api/control/update_time_to_live.h"

#include "api/control/messages.h"
#include "api/control/replicas.h"
#include "api/table/messages.h"
#include "api/table/table_description.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/ttl/expiry_index.h"

namespace dynolith {
namespace {

absl::Status CheckStatus(const TableMeta& meta) {
  if (meta.status == TableStatus::kCreating) {
    return MakeError(ErrorKind::kResourceNotFound, messages::TableNotFound(meta.schema.name));
  }
  if (meta.status == TableStatus::kDeleting) {
    return MakeError(ErrorKind::kResourceInUse, messages::TableBeingDeleted(meta.schema.name));
  }
  return absl::OkStatus();
}

absl::Status CheckChange(const TimeToLiveState& now_is, const TimeToLiveSpecification& wanted,
                         absl::Time now) {
  if (now_is.enabled && now_is.attribute_name != wanted.attribute_name) {
    return ValidationError(messages::TimeToLiveOnAnotherAttribute(now_is.attribute_name));
  }
  if (now_is.enabled == wanted.enabled) {
    return ValidationError(wanted.enabled ? messages::TimeToLiveAlreadyEnabled()
                                          : messages::TimeToLiveAlreadyDisabled());
  }
  if (now_is.last_change && now - *now_is.last_change < absl::Minutes(kTimeToLiveChangeMinutes)) {
    return ValidationError(messages::TimeToLiveChangedRecently());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<UpdateTimeToLiveOutput> UpdateTimeToLive(const OperationContext& context,
                                                        const UpdateTimeToLiveRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindTable(context, request.table_name));
  const TimeToLiveSpecification& wanted = request.time_to_live_specification;
  const absl::Time now = context.clock->Now();
  const auto change = [&](TableMeta* meta) -> absl::Status {
    DYNOLITH_RETURN_IF_ERROR(CheckStatus(*meta));
    if (meta->is_strong) return ValidationError(messages::TimeToLiveOfStrongTable());
    DYNOLITH_RETURN_IF_ERROR(CheckChange(meta->time_to_live, wanted, now));
    DYNOLITH_RETURN_IF_ERROR(CheckReplicasSettled(*meta));
    meta->time_to_live.enabled = wanted.enabled;
    meta->time_to_live.attribute_name = wanted.attribute_name;
    meta->time_to_live.last_change = now;
    return absl::OkStatus();
  };
  // Existing items get their expiry rows in the background.
  const StorageId id = table->meta()->schema.id;
  WriteBatch batch;
  wanted.enabled ? ExpiryIndex::BeginFilling(id, &batch) : ExpiryIndex::StopFilling(id, &batch);
  const auto changed = context.catalog->Modify(table.get(), change, &batch);
  const absl::Status& status = changed.status();
  if (absl::IsNotFound(status) && context.catalog->Find(table->meta()->schema.name) != table) {
    // The table was dropped since it was found.
    return MakeError(ErrorKind::kResourceNotFound,
                     messages::TableNotFound(table->meta()->schema.name));
  }
  DYNOLITH_RETURN_IF_ERROR(status);
  UpdateTimeToLiveRequest there = request;
  there.table_name = (*changed)->schema.name;
  DYNOLITH_RETURN_IF_ERROR(ChangeOthers(
      context, **changed,
      [&there](const OperationContext& other) { return UpdateTimeToLive(other, there).status(); }));
  return UpdateTimeToLiveOutput{wanted};
}

}  // namespace dynolith
