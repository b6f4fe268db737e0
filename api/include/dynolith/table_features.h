// Requests and outputs of the operations on what belongs to a table besides its items: tags,
// policies, monitoring, copies elsewhere; with DynamoDB's member names in snake_case.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_TABLE_FEATURES_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_TABLE_FEATURES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "dynolith/requests.h"
#include "engine/catalog/table_meta.h"

namespace dynolith {

// --- Tags ---

struct TagResourceRequest {
  std::string resource_arn;
  std::vector<Tag> tags;
};

struct UntagResourceRequest {
  std::string resource_arn;
  std::vector<std::string> tag_keys;
};

struct ListTagsOfResourceRequest {
  std::string resource_arn;
  std::optional<std::string> next_token;
};

struct ListTagsOfResourceOutput {
  std::vector<Tag> tags;
  std::optional<std::string> next_token;
};

// --- Resource policies ---

struct PutResourcePolicyRequest {
  std::string resource_arn;
  std::string policy;
  // Or "NO_POLICY".
  std::optional<std::string> expected_revision_id;
};

struct PutResourcePolicyOutput {
  std::string revision_id;
};

struct GetResourcePolicyRequest {
  std::string resource_arn;
};

struct GetResourcePolicyOutput {
  std::string policy;
  std::string revision_id;
};

struct DeleteResourcePolicyRequest {
  std::string resource_arn;
  std::optional<std::string> expected_revision_id;
};

struct DeleteResourcePolicyOutput {
  // Of the deleted policy; absent if there was none.
  std::optional<std::string> revision_id;
};

// --- Contributor insights ---

enum class ContributorInsightsStatus : uint8_t { kEnabling, kEnabled, kDisabling, kDisabled };

struct DescribeContributorInsightsRequest {
  std::string table_name;
  std::optional<std::string> index_name;
};

// Of DescribeContributorInsights and UpdateContributorInsights; one summary of
// ListContributorInsights.
struct ContributorInsightsDescription {
  std::string table_name;
  std::optional<std::string> index_name;
  ContributorInsightsStatus status = ContributorInsightsStatus::kDisabled;
  // While they are enabled.
  std::optional<ContributorInsightsMode> mode;
  // Of DescribeContributorInsights, once they have been switched on or off.
  std::optional<absl::Time> last_update;
};

struct UpdateContributorInsightsRequest {
  std::string table_name;
  std::optional<std::string> index_name;
  bool enable = false;  // ContributorInsightsAction
  std::optional<ContributorInsightsMode> mode;
};

struct ListContributorInsightsRequest {
  std::optional<std::string> table_name;
  std::optional<std::string> next_token;
  std::optional<int64_t> max_results;
};

struct ListContributorInsightsOutput {
  std::vector<ContributorInsightsDescription> summaries;
  std::optional<std::string> next_token;
};

// --- What this engine never has: streams to Kinesis, replicas, backups, exports, imports ---

struct DescribeKinesisStreamingDestinationRequest {
  std::string table_name;
};

// There are no destinations.
struct DescribeKinesisStreamingDestinationOutput {
  std::string table_name;
};

struct DescribeTableReplicaAutoScalingRequest {
  std::string table_name;
};

// There are no replicas.
struct DescribeTableReplicaAutoScalingOutput {
  std::string table_name;
  TableStatus table_status = TableStatus::kActive;
};

// Of DescribeGlobalTable and DescribeGlobalTableSettings.
struct DescribeGlobalTableRequest {
  std::string global_table_name;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_TABLE_FEATURES_H_
