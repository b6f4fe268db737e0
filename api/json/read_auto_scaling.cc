#include "api/json/read_auto_scaling.h"

#include <optional>
#include <string>
#include <vector>

#include "api/json/members.h"

namespace dynolith {
namespace {

AutoScalingSettingsUpdate::Policy ReadPolicy(const Fields& fields) {
  namespace in = members::AutoScalingPolicyUpdate;
  namespace tracking = members::AutoScalingTargetTrackingScalingPolicyConfigurationUpdate;
  const Fields target(tracking::kShape,
                      *fields.Find(in::kTargetTrackingScalingPolicyConfiguration));
  return {.policy_name = fields.String(in::kPolicyName),
          .disable_scale_in = target.Boolean(tracking::kDisableScaleIn),
          .scale_in_cooldown = target.Integer(tracking::kScaleInCooldown),
          .scale_out_cooldown = target.Integer(tracking::kScaleOutCooldown),
          .target_value = target.Find(tracking::kTargetValue)->get_double().value_unsafe()};
}

std::optional<AutoScalingSettingsUpdate> ReadSettings(const Fields& owner, int member) {
  namespace in = members::AutoScalingSettingsUpdate;
  const JsonValue* value = owner.Find(member);
  if (value == nullptr) return std::nullopt;
  const Fields fields(in::kShape, *value);
  AutoScalingSettingsUpdate settings;
  settings.minimum_units = fields.Integer(in::kMinimumUnits);
  settings.maximum_units = fields.Integer(in::kMaximumUnits);
  settings.auto_scaling_disabled = fields.Boolean(in::kAutoScalingDisabled);
  settings.auto_scaling_role_arn = fields.String(in::kAutoScalingRoleArn);
  if (const JsonValue* policy = fields.Find(in::kScalingPolicyUpdate)) {
    settings.scaling_policy_update =
        ReadPolicy(Fields(members::AutoScalingPolicyUpdate::kShape, *policy));
  }
  return settings;
}

std::vector<IndexAutoScalingUpdate> ReadIndexWrites(JsonValue list) {
  namespace in = members::GlobalSecondaryIndexAutoScalingUpdate;
  std::vector<IndexAutoScalingUpdate> updates;
  for (const JsonValue element : ArrayOf(list)) {
    const Fields fields(in::kShape, element);
    updates.push_back({fields.String(in::kIndexName),
                       ReadSettings(fields, in::kProvisionedWriteCapacityAutoScalingUpdate)});
  }
  return updates;
}

std::vector<IndexAutoScalingUpdate> ReadIndexReads(JsonValue list) {
  namespace in = members::ReplicaGlobalSecondaryIndexAutoScalingUpdate;
  std::vector<IndexAutoScalingUpdate> updates;
  for (const JsonValue element : ArrayOf(list)) {
    const Fields fields(in::kShape, element);
    updates.push_back({fields.String(in::kIndexName),
                       ReadSettings(fields, in::kProvisionedReadCapacityAutoScalingUpdate)});
  }
  return updates;
}

std::vector<ReplicaAutoScalingUpdate> ReadReplicas(JsonValue list) {
  namespace in = members::ReplicaAutoScalingUpdate;
  std::vector<ReplicaAutoScalingUpdate> updates;
  for (const JsonValue element : ArrayOf(list)) {
    const Fields fields(in::kShape, element);
    ReplicaAutoScalingUpdate& update = updates.emplace_back();
    update.region_name = std::string(fields.Text(in::kRegionName));
    if (const JsonValue* indexes = fields.Find(in::kReplicaGlobalSecondaryIndexUpdates)) {
      update.replica_global_secondary_index_updates = ReadIndexReads(*indexes);
    }
    update.replica_provisioned_read_capacity_auto_scaling_update =
        ReadSettings(fields, in::kReplicaProvisionedReadCapacityAutoScalingUpdate);
  }
  return updates;
}

}  // namespace

absl::Status ReadRequest(const Fields& fields, DescribeTableReplicaAutoScalingRequest* request) {
  request->table_name =
      std::string(fields.Text(members::DescribeTableReplicaAutoScalingInput::kTableName));
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, UpdateTableReplicaAutoScalingRequest* request) {
  namespace in = members::UpdateTableReplicaAutoScalingInput;
  request->table_name = std::string(fields.Text(in::kTableName));
  if (const JsonValue* updates = fields.Find(in::kGlobalSecondaryIndexUpdates)) {
    request->global_secondary_index_updates = ReadIndexWrites(*updates);
  }
  request->provisioned_write_capacity_auto_scaling_update =
      ReadSettings(fields, in::kProvisionedWriteCapacityAutoScalingUpdate);
  if (const JsonValue* updates = fields.Find(in::kReplicaUpdates)) {
    request->replica_updates = ReadReplicas(*updates);
  }
  return absl::OkStatus();
}

}  // namespace dynolith
