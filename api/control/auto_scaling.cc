#include "api/control/auto_scaling.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "api/control/messages.h"
#include "api/control/replicas.h"
#include "api/request/region_peers.h"
#include "api/table/messages.h"
#include "api/table/table_description.h"
#include "api/table/table_status.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/catalog/table_states.h"

namespace dynolith {
namespace {

using Settings = AutoScalingSettingsUpdate;
using IndexUpdates = std::vector<IndexAutoScalingUpdate>;

// --- What the request says by itself ---

absl::Status CheckPolicy(const TargetTrackingScalingPolicy& policy) {
  const double target = policy.target_value;
  if (!(target >= kAutoScalingTargetMin && target <= kAutoScalingTargetMax)) {
    return ValidationError(
        messages::TargetValueOutOfRange(kAutoScalingTargetMin, kAutoScalingTargetMax));
  }
  for (const auto& [which, seconds] : {std::pair("ScaleInCooldown", policy.scale_in_cooldown),
                                       std::pair("ScaleOutCooldown", policy.scale_out_cooldown)}) {
    if (seconds.value_or(0) < 0) {
      return ValidationError(messages::NegativeCooldown(which, *seconds));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckSettings(const std::optional<Settings>& settings) {
  if (!settings || !settings->scaling_policy_update) return absl::OkStatus();
  return CheckPolicy(settings->scaling_policy_update->target_tracking_scaling_policy_configuration);
}

absl::Status CheckIndexUpdates(const IndexUpdates& updates) {
  std::set<std::string_view> names;
  for (const IndexAutoScalingUpdate& update : updates) {
    if (!names.insert(*update.index_name).second) {
      return ValidationError(messages::IndexUpdatedTwice(*update.index_name));
    }
    DYNOLITH_RETURN_IF_ERROR(CheckSettings(update.settings));
  }
  return absl::OkStatus();
}

// Whether a table may have a replica there, as far as it is known without the table.
bool IsServed(const OperationContext& context, std::string_view region) {
  if (region == context.region) return true;
  return context.peers != nullptr && context.peers->Serves(region);
}

absl::Status CheckReplicaUpdates(const OperationContext& context,
                                 const std::vector<ReplicaAutoScalingUpdate>& updates) {
  std::set<std::string_view> regions;
  for (const ReplicaAutoScalingUpdate& update : updates) {
    if (!IsServed(context, update.region_name)) {
      return ValidationError(messages::NoReplicaInRegion(update.region_name));
    }
    if (!regions.insert(update.region_name).second) {
      return ValidationError(messages::RegionRepeated(update.region_name));
    }
    DYNOLITH_RETURN_IF_ERROR(CheckIndexUpdates(update.replica_global_secondary_index_updates));
    DYNOLITH_RETURN_IF_ERROR(
        CheckSettings(update.replica_provisioned_read_capacity_auto_scaling_update));
  }
  return absl::OkStatus();
}

absl::Status CheckRequest(const OperationContext& context,
                          const UpdateTableReplicaAutoScalingRequest& request) {
  const auto& indexes = request.global_secondary_index_updates;
  const auto& table = request.provisioned_write_capacity_auto_scaling_update;
  const auto& replicas = request.replica_updates;
  if (!indexes && !table && !replicas) return ValidationError(messages::AutoScalingUpdateEmpty());
  if (indexes) DYNOLITH_RETURN_IF_ERROR(CheckIndexUpdates(*indexes));
  DYNOLITH_RETURN_IF_ERROR(CheckSettings(table));
  return replicas ? CheckReplicaUpdates(context, *replicas) : absl::OkStatus();
}

// --- The change ---

// `what`: "Read" or "Write".
std::string DefaultPolicyName(std::string_view what, std::string_view table,
                              std::string_view index) {
  return Concat("DynamoDB", what, "CapacityUtilization:table/", table,
                index.empty() ? "" : Concat("/index/", index));
}

// One target is tracked for each kind of capacity, so a new policy takes the place of the old one.
AutoScalingPolicy BuildScalingPolicy(const AutoScalingPolicyUpdate& wanted,
                                     std::string default_name) {
  const TargetTrackingScalingPolicy& target = wanted.target_tracking_scaling_policy_configuration;
  return {.name = wanted.policy_name.value_or(std::move(default_name)),
          .disable_scale_in = target.disable_scale_in,
          .scale_in_cooldown = target.scale_in_cooldown,
          .scale_out_cooldown = target.scale_out_cooldown,
          .target_value = target.target_value};
}

// Switching off forgets what was set; anything else switches on.
absl::Status Merge(const Settings& wanted, std::string default_name,
                   std::optional<AutoScalingSettings>* current) {
  if (wanted.auto_scaling_disabled.value_or(false)) {
    *current = AutoScalingSettings{.disabled = true};
    return absl::OkStatus();
  }
  AutoScalingSettings merged = current->value_or(AutoScalingSettings());
  merged.disabled.reset();
  if (wanted.minimum_units) merged.minimum_units = wanted.minimum_units;
  if (wanted.maximum_units) merged.maximum_units = wanted.maximum_units;
  if (wanted.auto_scaling_role_arn) merged.role_arn = *wanted.auto_scaling_role_arn;
  if (const auto& policy = wanted.scaling_policy_update) {
    if (!merged.policies.empty()) default_name = merged.policies.front().name;
    merged.policies = {BuildScalingPolicy(*policy, std::move(default_name))};
  }
  if (merged.minimum_units && merged.maximum_units &&
      *merged.minimum_units > *merged.maximum_units) {
    return ValidationError(
        messages::MinimumAboveMaximum(*merged.minimum_units, *merged.maximum_units));
  }
  *current = std::move(merged);
  return absl::OkStatus();
}

// The settings of the table (no name) or of an index, made if there are none.
AutoScaling* FindAutoScaling(std::string_view index, TableMeta* meta) {
  auto& all = meta->auto_scaling;
  const auto it = std::find_if(all.begin(), all.end(), [&](const AutoScaling& settings) {
    return settings.index_name == index;
  });
  if (it != all.end()) return &*it;
  all.push_back({.index_name = std::string(index)});
  return &all.back();
}

absl::Status ChangeReads(std::string_view index, const std::optional<Settings>& wanted,
                         TableMeta* meta) {
  if (!wanted) return absl::OkStatus();
  return Merge(*wanted, DefaultPolicyName("Read", meta->schema.name, index),
               &FindAutoScaling(index, meta)->read);
}

absl::Status ChangeWrites(std::string_view index, const std::optional<Settings>& wanted,
                          TableMeta* meta) {
  if (!wanted) return absl::OkStatus();
  return Merge(*wanted, DefaultPolicyName("Write", meta->schema.name, index),
               &FindAutoScaling(index, meta)->write);
}

using ChangeKind = absl::Status(std::string_view, const std::optional<Settings>&, TableMeta*);

absl::Status ChangeIndexes(const IndexUpdates& updates, ChangeKind* change, TableMeta* meta) {
  for (const IndexAutoScalingUpdate& update : updates) {
    const std::string& name = *update.index_name;
    const IndexSchema* index = meta->schema.FindIndex(name);
    if (index == nullptr || index->kind != IndexKind::kGlobal) {
      return MakeError(ErrorKind::kResourceNotFound,
                       messages::IndexNotFoundForTable(name, meta->schema.name));
    }
    DYNOLITH_RETURN_IF_ERROR(change(name, update.settings, meta));
  }
  return absl::OkStatus();
}

// That of the table in one of its regions: writes scale alike in all of them, reads as its own
// update says.
absl::Status Change(const UpdateTableReplicaAutoScalingRequest& request, std::string_view region,
                    TableMeta* meta) {
  DYNOLITH_RETURN_IF_ERROR(CheckNotBusy(*meta));
  DYNOLITH_RETURN_IF_ERROR(
      ChangeWrites("", request.provisioned_write_capacity_auto_scaling_update, meta));
  if (const auto& updates = request.global_secondary_index_updates) {
    DYNOLITH_RETURN_IF_ERROR(ChangeIndexes(*updates, &ChangeWrites, meta));
  }
  if (!request.replica_updates) return absl::OkStatus();
  for (const ReplicaAutoScalingUpdate& update : *request.replica_updates) {
    if (update.region_name != region) continue;
    DYNOLITH_RETURN_IF_ERROR(
        ChangeReads("", update.replica_provisioned_read_capacity_auto_scaling_update, meta));
    DYNOLITH_RETURN_IF_ERROR(
        ChangeIndexes(update.replica_global_secondary_index_updates, &ChangeReads, meta));
  }
  return absl::OkStatus();
}

// --- The other regions ---

absl::Status CheckAreReplicas(const OperationContext& context,
                              const UpdateTableReplicaAutoScalingRequest& request,
                              const TableMeta& meta) {
  if (!request.replica_updates) return absl::OkStatus();
  for (const ReplicaAutoScalingUpdate& update : *request.replica_updates) {
    const bool is_replica =
        update.region_name == context.region ||
        std::any_of(meta.replicas.begin(), meta.replicas.end(),
                    [&](const Replica& replica) { return replica.region == update.region_name; });
    if (!is_replica) return ValidationError(messages::NoReplicaInRegion(update.region_name));
  }
  return absl::OkStatus();
}

// Calls `run` with the table in each of its other regions.
absl::Status ForEachReplica(const OperationContext& context, const TableMeta& meta,
                            absl::FunctionRef<absl::Status(const OperationContext&, Table*)> run) {
  return ChangeOthers(context, meta, [&](const OperationContext& peer) -> absl::Status {
    const std::shared_ptr<Table> there = peer.catalog->Find(meta.schema.name);
    return there == nullptr ? absl::OkStatus() : run(peer, there.get());
  });
}

// Nothing is changed anywhere unless it can be in all regions.
absl::Status CheckReplicas(const OperationContext& context,
                           const UpdateTableReplicaAutoScalingRequest& request,
                           const TableMeta& meta) {
  DYNOLITH_RETURN_IF_ERROR(CheckAreReplicas(context, request, meta));
  DYNOLITH_RETURN_IF_ERROR(CheckReplicasSettled(meta));
  return ForEachReplica(context, meta, [&](const OperationContext& peer, Table* there) {
    TableMeta changed = *there->meta();
    return Change(request, peer.region, &changed);
  });
}

absl::Status ChangeInReplicas(const OperationContext& context,
                              const UpdateTableReplicaAutoScalingRequest& request,
                              const TableMeta& meta) {
  return ForEachReplica(context, meta, [&](const OperationContext& peer, Table* there) {
    const auto change = [&](TableMeta* changed) { return Change(request, peer.region, changed); };
    return peer.catalog->Modify(there, change).status();
  });
}

// --- The description ---

// This region's is as busy as its table.
ReplicaStatus ToReplicaStatus(TableStatus status) {
  switch (status) {
    case TableStatus::kCreating:
      return ReplicaStatus::kCreating;
    case TableStatus::kUpdating:
      return ReplicaStatus::kUpdating;
    case TableStatus::kDeleting:
      return ReplicaStatus::kDeleting;
    case TableStatus::kActive:
      break;
  }
  return ReplicaStatus::kActive;
}

// The role that the service makes for an account whose user names none.
std::string ServiceRole(const OperationContext& context) {
  return Concat("arn:aws:iam::", context.account_id,
                ":role/aws-service-role/dynamodb.application-autoscaling.amazonaws.com/"
                "AWSServiceRoleForApplicationAutoScaling_DynamoDBTable");
}

AutoScalingPolicyDescription Show(const AutoScalingPolicy& policy) {
  return {.policy_name = policy.name,
          .target_tracking_scaling_policy_configuration = {
              .disable_scale_in = policy.disable_scale_in.value_or(false),
              .scale_in_cooldown = policy.scale_in_cooldown,
              .scale_out_cooldown = policy.scale_out_cooldown,
              .target_value = policy.target_value}};
}

// What has no settings is shown as switched off.
AutoScalingSettingsDescription Show(const OperationContext& context,
                                    const std::optional<AutoScalingSettings>& settings) {
  AutoScalingSettingsDescription shown;
  if (!settings || settings->disabled.value_or(false)) {
    shown.auto_scaling_disabled = true;
    return shown;
  }
  shown.minimum_units = settings->minimum_units;
  shown.maximum_units = settings->maximum_units;
  shown.auto_scaling_role_arn =
      settings->role_arn.empty() ? ServiceRole(context) : settings->role_arn;
  std::vector<AutoScalingPolicyDescription>& policies = shown.scaling_policies.emplace();
  for (const AutoScalingPolicy& policy : settings->policies) policies.push_back(Show(policy));
  return shown;
}

AutoScaling SettingsIn(const TableMeta& meta, std::string_view index) {
  for (const AutoScaling& settings : meta.auto_scaling) {
    if (settings.index_name == index) return settings;
  }
  return {};
}

ReplicaAutoScalingDescription ShowReplica(const OperationContext& context, const TableMeta& meta) {
  ReplicaAutoScalingDescription replica;
  replica.region_name = context.region;
  for (size_t i = 0; i < meta.schema.indexes.size(); ++i) {
    const IndexSchema& index = meta.schema.indexes[i];
    if (index.kind != IndexKind::kGlobal) continue;
    const AutoScaling settings = SettingsIn(meta, index.name);
    replica.global_secondary_indexes.push_back(
        {.index_name = index.name,
         .index_status = meta.index_states[i].status,
         .provisioned_read_capacity_auto_scaling_settings = Show(context, settings.read),
         .provisioned_write_capacity_auto_scaling_settings = Show(context, settings.write)});
  }
  const AutoScaling settings = SettingsIn(meta, "");
  replica.replica_provisioned_read_capacity_auto_scaling_settings = Show(context, settings.read);
  replica.replica_provisioned_write_capacity_auto_scaling_settings = Show(context, settings.write);
  replica.replica_status = ToReplicaStatus(meta.status);
  return replica;
}

// Of a region whose database is not open only the name and the status are known.
ReplicaAutoScalingDescription ShowOther(const OperationContext& context, const TableMeta& meta,
                                        const Replica& replica) {
  ReplicaAutoScalingDescription shown;
  const auto show = [&](const OperationContext& peer) {
    const std::shared_ptr<Table> there = peer.catalog->Find(meta.schema.name);
    if (there != nullptr) shown = ShowReplica(peer, *there->meta());
    return absl::OkStatus();
  };
  if (context.peers != nullptr && context.peers->Serves(replica.region)) {
    context.peers->WithPeer(replica.region, show).IgnoreError();  // it may have gone since
  }
  shown.region_name = replica.region;
  shown.replica_status = FindReplicaStatus(replica, context.clock->Now());
  return shown;
}

TableAutoScalingDescription MakeAutoScalingDescription(const OperationContext& context,
                                                       const TableMeta& meta) {
  TableAutoScalingDescription description;
  description.table_name = meta.schema.name;
  description.table_status = meta.status;
  if (!meta.auto_scaling.empty() || !meta.replicas.empty()) {
    description.replicas.push_back(ShowReplica(context, meta));
  }
  for (const Replica& replica : meta.replicas) {
    description.replicas.push_back(ShowOther(context, meta, replica));
  }
  return description;
}

}  // namespace

absl::StatusOr<TableAutoScalingDescription> UpdateTableReplicaAutoScaling(
    const OperationContext& context, const UpdateTableReplicaAutoScalingRequest& request) {
  DYNOLITH_RETURN_IF_ERROR(CheckRequest(context, request));
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindTable(context, request.table_name));
  DYNOLITH_RETURN_IF_ERROR(CheckReplicas(context, request, *table->meta()));
  const std::string name = table->meta()->schema.name;
  const absl::Status gone = MakeError(ErrorKind::kResourceNotFound, messages::TableNotFound(name));
  const auto change = [&](TableMeta* meta) { return Change(request, context.region, meta); };
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const TableMeta> meta,
                            ChangeTable(context.catalog, table.get(), change, gone));
  DYNOLITH_RETURN_IF_ERROR(ChangeInReplicas(context, request, *meta));
  return MakeAutoScalingDescription(context, *meta);
}

absl::StatusOr<TableAutoScalingDescription> DescribeTableReplicaAutoScaling(
    const OperationContext& context, const DescribeTableReplicaAutoScalingRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindTable(context, request.table_name));
  return MakeAutoScalingDescription(context, *table->meta());
}

}  // namespace dynolith
