// DescribeContributorInsights, UpdateContributorInsights and ListContributorInsights
// (api/facts/operations.md §5.6): whether hot keys are watched (engine/partition/key_watch.h). The
// shown rules have the service's names; Database::ReportHotKeys gives their content.
#ifndef DYNOLITH_API_CONTROL_CONTRIBUTOR_INSIGHTS_H_
#define DYNOLITH_API_CONTROL_CONTRIBUTOR_INSIGHTS_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

absl::StatusOr<ContributorInsightsDescription> DescribeContributorInsights(
    const OperationContext& context, const DescribeContributorInsightsRequest& request);
// The answer says ENABLING or DISABLING, even if the change is instant.
absl::StatusOr<ContributorInsightsDescription> UpdateContributorInsights(
    const OperationContext& context, const UpdateContributorInsightsRequest& request);
// Tables in the order of their names, each with its global indexes.
absl::StatusOr<ListContributorInsightsOutput> ListContributorInsights(
    const OperationContext& context, const ListContributorInsightsRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_CONTRIBUTOR_INSIGHTS_H_
