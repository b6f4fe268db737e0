#include "api/json/read_table_features.h"

#include <utility>

#include "api/json/members.h"
#include "api/json/request_parts.h"

namespace dynolith {
namespace {

constexpr std::pair<std::string_view, ContributorInsightsMode> kModes[] = {
    {"ACCESSED_AND_THROTTLED_KEYS", ContributorInsightsMode::kAccessedAndThrottledKeys},
    {"THROTTLED_KEYS", ContributorInsightsMode::kThrottledKeys}};

constexpr std::pair<std::string_view, TimestampPrecision> kPrecisions[] = {
    {"MILLISECOND", TimestampPrecision::kMillisecond},
    {"MICROSECOND", TimestampPrecision::kMicrosecond}};

}  // namespace

absl::Status ReadRequest(const Fields& fields, TagResourceRequest* request) {
  namespace in = members::TagResourceInput;
  namespace tag = members::Tag;
  request->resource_arn = std::string(fields.Text(in::kResourceArn));
  for (const JsonValue element : ArrayOf(*fields.Find(in::kTags))) {
    const Fields members(tag::kShape, element);
    request->tags.push_back({members.String(tag::kKey), members.String(tag::kValue)});
  }
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, UntagResourceRequest* request) {
  namespace in = members::UntagResourceInput;
  request->resource_arn = std::string(fields.Text(in::kResourceArn));
  request->tag_keys = *ReadStrings(fields, in::kTagKeys);
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, ListTagsOfResourceRequest* request) {
  namespace in = members::ListTagsOfResourceInput;
  request->resource_arn = std::string(fields.Text(in::kResourceArn));
  request->next_token = fields.String(in::kNextToken);
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, PutResourcePolicyRequest* request) {
  namespace in = members::PutResourcePolicyInput;
  request->resource_arn = std::string(fields.Text(in::kResourceArn));
  request->policy = std::string(fields.Text(in::kPolicy));
  request->expected_revision_id = fields.String(in::kExpectedRevisionId);
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, GetResourcePolicyRequest* request) {
  request->resource_arn = std::string(fields.Text(members::GetResourcePolicyInput::kResourceArn));
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, DeleteResourcePolicyRequest* request) {
  namespace in = members::DeleteResourcePolicyInput;
  request->resource_arn = std::string(fields.Text(in::kResourceArn));
  request->expected_revision_id = fields.String(in::kExpectedRevisionId);
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, DescribeContinuousBackupsRequest* request) {
  request->table_name =
      std::string(fields.Text(members::DescribeContinuousBackupsInput::kTableName));
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, UpdateContinuousBackupsRequest* request) {
  namespace in = members::UpdateContinuousBackupsInput;
  namespace recovery = members::PointInTimeRecoverySpecification;
  request->table_name = std::string(fields.Text(in::kTableName));
  const Fields specification(recovery::kShape, *fields.Find(in::kPointInTimeRecoverySpecification));
  request->point_in_time_recovery_enabled =
      specification.Boolean(recovery::kPointInTimeRecoveryEnabled).value_or(false);
  request->recovery_period_in_days = specification.Integer(recovery::kRecoveryPeriodInDays);
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, DescribeContributorInsightsRequest* request) {
  namespace in = members::DescribeContributorInsightsInput;
  request->table_name = std::string(fields.Text(in::kTableName));
  request->index_name = fields.String(in::kIndexName);
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, UpdateContributorInsightsRequest* request) {
  namespace in = members::UpdateContributorInsightsInput;
  request->table_name = std::string(fields.Text(in::kTableName));
  request->index_name = fields.String(in::kIndexName);
  request->enable = fields.Text(in::kContributorInsightsAction) == "ENABLE";
  request->mode = ReadEnum(fields, in::kContributorInsightsMode, absl::MakeConstSpan(kModes));
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, ListContributorInsightsRequest* request) {
  namespace in = members::ListContributorInsightsInput;
  request->table_name = fields.String(in::kTableName);
  request->next_token = fields.String(in::kNextToken);
  request->max_results = fields.Integer(in::kMaxResults);
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields,
                         DescribeKinesisStreamingDestinationRequest* request) {
  request->table_name =
      std::string(fields.Text(members::DescribeKinesisStreamingDestinationInput::kTableName));
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, KinesisStreamingDestinationRequest* request) {
  namespace in = members::KinesisStreamingDestinationInput;
  request->table_name = std::string(fields.Text(in::kTableName));
  request->stream_arn = std::string(fields.Text(in::kStreamArn));
  if (const JsonValue* value = fields.Find(in::kEnableKinesisStreamingConfiguration)) {
    namespace configuration = members::EnableKinesisStreamingConfiguration;
    request->approximate_creation_date_time_precision = ReadEnum(
        Fields(configuration::kShape, *value), configuration::kApproximateCreationDateTimePrecision,
        absl::MakeConstSpan(kPrecisions));
  }
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, UpdateKinesisStreamingDestinationRequest* request) {
  namespace in = members::UpdateKinesisStreamingDestinationInput;
  request->table_name = std::string(fields.Text(in::kTableName));
  request->stream_arn = std::string(fields.Text(in::kStreamArn));
  if (const JsonValue* value = fields.Find(in::kUpdateKinesisStreamingConfiguration)) {
    namespace configuration = members::UpdateKinesisStreamingConfiguration;
    request->approximate_creation_date_time_precision = ReadEnum(
        Fields(configuration::kShape, *value), configuration::kApproximateCreationDateTimePrecision,
        absl::MakeConstSpan(kPrecisions));
  }
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, DescribeGlobalTableRequest* request) {
  static_assert(int{members::DescribeGlobalTableInput::kGlobalTableName} ==
                int{members::DescribeGlobalTableSettingsInput::kGlobalTableName});
  static_assert(int{members::DescribeGlobalTableInput::kGlobalTableName} ==
                int{members::UpdateGlobalTableSettingsInput::kGlobalTableName});
  request->global_table_name =
      std::string(fields.Text(members::DescribeGlobalTableInput::kGlobalTableName));
  return absl::OkStatus();
}

}  // namespace dynolith
