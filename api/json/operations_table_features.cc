// Tags, policies, point-in-time recovery and monitoring, from the members of a call to the text of
// its output.
#include "api/json/operations.h"
#include "api/json/read_auto_scaling.h"
#include "api/json/read_table_features.h"
#include "api/json/run_operation.h"
#include "api/json/write_auto_scaling.h"
#include "api/json/write_table_features.h"
#include "engine/base/errors.h"
#include "engine/base/messages/table_features.h"

namespace dynolith {
namespace {

// Operations whose only output is an error, or nothing: not even {}.
template <typename Request, absl::Status (Database::*method)(const Request&)>
absl::Status RunWithoutOutput(const OperationCall& call, std::string*) {
  Request request;
  DYNOLITH_RETURN_IF_ERROR(ReadRequest(*call.input, &request));
  return (call.database->*method)(request);
}

// Its members' constraints are all that can be wrong.
absl::Status RunListGlobalTables(const OperationCall&, std::string* body) {
  JsonWriter writer(body);
  writer.BeginObject();
  writer.Key("GlobalTables");
  writer.BeginArray();
  writer.EndArray();
  writer.EndObject();
  return absl::OkStatus();
}

// Global tables of 2017 can no longer be made or changed anywhere.
absl::Status RefuseOldGlobalTables(const OperationCall&, std::string*) {
  return ValidationError(messages::OldGlobalTablesUnsupported());
}

constexpr OperationRow kRows[] = {
    {"TagResource", &RunWithoutOutput<TagResourceRequest, &Database::TagResource>},
    {"UntagResource", &RunWithoutOutput<UntagResourceRequest, &Database::UntagResource>},
    {"ListTagsOfResource", &RunOperation<ListTagsOfResourceRequest, ListTagsOfResourceOutput,
                                         &Database::ListTagsOfResource>},
    {"PutResourcePolicy", &RunOperation<PutResourcePolicyRequest, PutResourcePolicyOutput,
                                        &Database::PutResourcePolicy>},
    {"GetResourcePolicy", &RunOperation<GetResourcePolicyRequest, GetResourcePolicyOutput,
                                        &Database::GetResourcePolicy>},
    {"DeleteResourcePolicy", &RunOperation<DeleteResourcePolicyRequest, DeleteResourcePolicyOutput,
                                           &Database::DeleteResourcePolicy>},
    {"DescribeContinuousBackups",
     &RunOperation<DescribeContinuousBackupsRequest, ContinuousBackupsDescription,
                   &Database::DescribeContinuousBackups>},
    {"UpdateContinuousBackups",
     &RunOperation<UpdateContinuousBackupsRequest, ContinuousBackupsDescription,
                   &Database::UpdateContinuousBackups>},
    {"DescribeContributorInsights",
     &RunOperation<DescribeContributorInsightsRequest, ContributorInsightsDescription,
                   &Database::DescribeContributorInsights>},
    {"UpdateContributorInsights",
     &RunOperation<UpdateContributorInsightsRequest, ContributorInsightsDescription,
                   &Database::UpdateContributorInsights>},
    {"ListContributorInsights",
     &RunOperation<ListContributorInsightsRequest, ListContributorInsightsOutput,
                   &Database::ListContributorInsights>},
    {"DescribeKinesisStreamingDestination",
     &RunOperation<DescribeKinesisStreamingDestinationRequest,
                   DescribeKinesisStreamingDestinationOutput,
                   &Database::DescribeKinesisStreamingDestination>},
    {"EnableKinesisStreamingDestination",
     &RunOperation<KinesisStreamingDestinationRequest, KinesisStreamingDestinationOutput,
                   &Database::EnableKinesisStreamingDestination>},
    {"DisableKinesisStreamingDestination",
     &RunOperation<KinesisStreamingDestinationRequest, KinesisStreamingDestinationOutput,
                   &Database::DisableKinesisStreamingDestination>},
    {"UpdateKinesisStreamingDestination",
     &RunOperation<UpdateKinesisStreamingDestinationRequest,
                   UpdateKinesisStreamingDestinationOutput,
                   &Database::UpdateKinesisStreamingDestination>},
    {"DescribeTableReplicaAutoScaling",
     &RunOperation<DescribeTableReplicaAutoScalingRequest, TableAutoScalingDescription,
                   &Database::DescribeTableReplicaAutoScaling>},
    {"UpdateTableReplicaAutoScaling",
     &RunOperation<UpdateTableReplicaAutoScalingRequest, TableAutoScalingDescription,
                   &Database::UpdateTableReplicaAutoScaling>},
    {"ListGlobalTables", &RunListGlobalTables},
    {"CreateGlobalTable", &RefuseOldGlobalTables},
    {"UpdateGlobalTable", &RefuseOldGlobalTables},
    {"UpdateGlobalTableSettings",
     &RunWithoutOutput<DescribeGlobalTableRequest, &Database::DescribeGlobalTable>},
    {"DescribeGlobalTable",
     &RunWithoutOutput<DescribeGlobalTableRequest, &Database::DescribeGlobalTable>},
    {"DescribeGlobalTableSettings",
     &RunWithoutOutput<DescribeGlobalTableRequest, &Database::DescribeGlobalTable>},
};

}  // namespace

absl::Span<const OperationRow> TableFeatureOperations() { return kRows; }

}  // namespace dynolith
