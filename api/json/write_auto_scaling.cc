#include "api/json/write_auto_scaling.h"

#include <optional>
#include <string_view>

#include "api/json/write_members.h"
#include "api/json/write_tables.h"

namespace dynolith {
namespace {

void IntegerIfAny(std::string_view key, const std::optional<int64_t>& number, JsonWriter* writer) {
  if (!number) return;
  writer->Key(key);
  writer->Integer(*number);
}

void Bool(std::string_view key, bool value, JsonWriter* writer) {
  writer->Key(key);
  writer->Bool(value);
}

void WritePolicy(const AutoScalingPolicy& policy, JsonWriter* writer) {
  writer->BeginObject();
  Text("PolicyName", policy.name, writer);
  writer->Key("TargetTrackingScalingPolicyConfiguration");
  writer->BeginObject();
  Bool("DisableScaleIn", policy.disable_scale_in.value_or(false), writer);
  IntegerIfAny("ScaleInCooldown", policy.scale_in_cooldown, writer);
  IntegerIfAny("ScaleOutCooldown", policy.scale_out_cooldown, writer);
  writer->Key("TargetValue");
  writer->Double(policy.target_value);
  writer->EndObject();
  writer->EndObject();
}

// What has no settings is shown as switched off.
void WriteSettings(std::string_view key, const std::optional<AutoScalingSettings>& settings,
                   JsonWriter* writer) {
  writer->Key(key);
  writer->BeginObject();
  if (!settings || settings->disabled.value_or(false)) {
    Bool("AutoScalingDisabled", true, writer);
  } else {
    IntegerIfAny("MinimumUnits", settings->minimum_units, writer);
    IntegerIfAny("MaximumUnits", settings->maximum_units, writer);
    Text("AutoScalingRoleArn", settings->role_arn, writer);
    writer->Key("ScalingPolicies");
    writer->BeginArray();
    for (const AutoScalingPolicy& policy : settings->policies) WritePolicy(policy, writer);
    writer->EndArray();
  }
  writer->EndObject();
}

void WriteIndex(const ReplicaAutoScaling& index, JsonWriter* writer) {
  writer->BeginObject();
  Text("IndexName", index.settings.index_name, writer);
  Text("IndexStatus", IndexStatusWord(index.index_status), writer);
  WriteSettings("ProvisionedReadCapacityAutoScalingSettings", index.settings.read, writer);
  WriteSettings("ProvisionedWriteCapacityAutoScalingSettings", index.settings.write, writer);
  writer->EndObject();
}

void WriteReplica(const TableAutoScalingDescription& output, JsonWriter* writer) {
  writer->BeginObject();
  Text("RegionName", output.region_name, writer);
  writer->Key("GlobalSecondaryIndexes");
  writer->BeginArray();
  for (size_t i = 1; i < output.replica.size(); ++i) WriteIndex(output.replica[i], writer);
  writer->EndArray();
  const AutoScaling& table = output.replica.front().settings;
  WriteSettings("ReplicaProvisionedReadCapacityAutoScalingSettings", table.read, writer);
  WriteSettings("ReplicaProvisionedWriteCapacityAutoScalingSettings", table.write, writer);
  Text("ReplicaStatus", TableStatusWord(output.table_status), writer);
  writer->EndObject();
}

}  // namespace

void WriteOutputJson(const TableAutoScalingDescription& output, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("TableAutoScalingDescription");
  writer->BeginObject();
  Text("TableName", output.table_name, writer);
  Text("TableStatus", TableStatusWord(output.table_status), writer);
  writer->Key("Replicas");
  writer->BeginArray();
  if (!output.replica.empty()) WriteReplica(output, writer);
  writer->EndArray();
  writer->EndObject();
  writer->EndObject();
}

}  // namespace dynolith
