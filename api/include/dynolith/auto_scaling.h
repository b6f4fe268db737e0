// Requests and outputs of the auto scaling of tables and their indexes, with DynamoDB's member
// names in snake_case. State only: settings are kept and shown, nothing is scaled.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_AUTO_SCALING_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_AUTO_SCALING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/catalog/table_meta.h"

namespace dynolith {

// What is absent stays as it is.
struct AutoScalingSettingsUpdate {
  struct Policy {
    std::optional<std::string> policy_name;
    // Of the TargetTrackingScalingPolicyConfiguration.
    std::optional<bool> disable_scale_in;
    std::optional<int64_t> scale_in_cooldown;  // seconds
    std::optional<int64_t> scale_out_cooldown;
    double target_value = 0;  // percent
  };

  std::optional<int64_t> minimum_units;
  std::optional<int64_t> maximum_units;
  std::optional<bool> auto_scaling_disabled;
  std::optional<std::string> auto_scaling_role_arn;
  std::optional<Policy> scaling_policy_update;
};

// Of writes in the request itself, of reads in a replica's update.
struct IndexAutoScalingUpdate {
  std::optional<std::string> index_name;
  std::optional<AutoScalingSettingsUpdate> settings;
};

struct ReplicaAutoScalingUpdate {
  std::string region_name;
  std::vector<IndexAutoScalingUpdate> replica_global_secondary_index_updates;
  std::optional<AutoScalingSettingsUpdate> replica_provisioned_read_capacity_auto_scaling_update;
};

struct UpdateTableReplicaAutoScalingRequest {
  std::string table_name;
  std::optional<std::vector<IndexAutoScalingUpdate>> global_secondary_index_updates;
  std::optional<AutoScalingSettingsUpdate> provisioned_write_capacity_auto_scaling_update;
  std::optional<std::vector<ReplicaAutoScalingUpdate>> replica_updates;
};

struct DescribeTableReplicaAutoScalingRequest {
  std::string table_name;
};

// The table (without a name) or one of its global indexes in this region.
struct ReplicaAutoScaling {
  AutoScaling settings;
  IndexStatus index_status = IndexStatus::kActive;
};

// Of both operations.
struct TableAutoScalingDescription {
  std::string table_name;
  TableStatus table_status = TableStatus::kActive;
  // Of the one replica: the table first, then its global indexes. Empty if there are no settings:
  // then there is no replica.
  std::string region_name;
  std::vector<ReplicaAutoScaling> replica;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_AUTO_SCALING_H_
