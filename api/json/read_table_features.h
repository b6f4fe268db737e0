// JSON -> requests of the operations on tags, policies, backups and monitoring.
#ifndef DYNOLITH_API_JSON_READ_TABLE_FEATURES_H_
#define DYNOLITH_API_JSON_READ_TABLE_FEATURES_H_

#include "absl/status/status.h"
#include "api/json/fields.h"
#include "dynolith/backups.h"
#include "dynolith/table_features.h"

namespace dynolith {

// As in read_tables.h: names and ARNs go to the operations as they are.
absl::Status ReadRequest(const Fields& fields, TagResourceRequest* request);
absl::Status ReadRequest(const Fields& fields, UntagResourceRequest* request);
absl::Status ReadRequest(const Fields& fields, ListTagsOfResourceRequest* request);
absl::Status ReadRequest(const Fields& fields, PutResourcePolicyRequest* request);
absl::Status ReadRequest(const Fields& fields, GetResourcePolicyRequest* request);
absl::Status ReadRequest(const Fields& fields, DeleteResourcePolicyRequest* request);
absl::Status ReadRequest(const Fields& fields, DescribeContinuousBackupsRequest* request);
absl::Status ReadRequest(const Fields& fields, UpdateContinuousBackupsRequest* request);
absl::Status ReadRequest(const Fields& fields, DescribeContributorInsightsRequest* request);
absl::Status ReadRequest(const Fields& fields, UpdateContributorInsightsRequest* request);
absl::Status ReadRequest(const Fields& fields, ListContributorInsightsRequest* request);
absl::Status ReadRequest(const Fields& fields, DescribeKinesisStreamingDestinationRequest* request);
absl::Status ReadRequest(const Fields& fields, KinesisStreamingDestinationRequest* request);
absl::Status ReadRequest(const Fields& fields, UpdateKinesisStreamingDestinationRequest* request);
// Of DescribeGlobalTable and of DescribeGlobalTableSettings.
absl::Status ReadRequest(const Fields& fields, DescribeGlobalTableRequest* request);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_READ_TABLE_FEATURES_H_
