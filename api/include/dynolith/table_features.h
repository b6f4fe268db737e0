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

// --- Streams to Kinesis: kept and shown, nothing is sent ---

// Of EnableKinesisStreamingDestination and DisableKinesisStreamingDestination.
struct KinesisStreamingDestinationRequest {
  std::string table_name;
  std::string stream_arn;
  // Of the EnableKinesisStreamingConfiguration.
  std::optional<TimestampPrecision> approximate_creation_date_time_precision;
};

struct KinesisStreamingDestinationOutput {
  std::string table_name;
  std::string stream_arn;
  KinesisDestinationStatus destination_status = KinesisDestinationStatus::kEnabling;
  // As requested.
  std::optional<TimestampPrecision> approximate_creation_date_time_precision;
};

struct UpdateKinesisStreamingDestinationRequest {
  std::string table_name;
  std::string stream_arn;
  // Of the UpdateKinesisStreamingConfiguration.
  std::optional<TimestampPrecision> approximate_creation_date_time_precision;
};

struct UpdateKinesisStreamingDestinationOutput {
  std::string table_name;
  std::string stream_arn;
  KinesisDestinationStatus destination_status = KinesisDestinationStatus::kUpdating;
  TimestampPrecision approximate_creation_date_time_precision = TimestampPrecision::kMillisecond;
};

struct DescribeKinesisStreamingDestinationRequest {
  std::string table_name;
};

struct DescribeKinesisStreamingDestinationOutput {
  std::string table_name;
  // Also those that have been disabled.
  std::vector<KinesisDestination> kinesis_data_stream_destinations;
};

// --- What this engine never has ---

// Of DescribeGlobalTable and DescribeGlobalTableSettings.
struct DescribeGlobalTableRequest {
  std::string global_table_name;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_TABLE_FEATURES_H_
