#include "api/control/resource_policies.h"

#include <algorithm>
#include <string>
#include <utility>

#include "api/control/messages.h"
#include "api/control/policy_document.h"
#include "api/table/messages.h"
#include "api/table/resource.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

constexpr std::string_view kNoPolicy = "NO_POLICY";

// Policies say that the table is not there, not its ARN.
absl::StatusOr<ResourceName> ParsePolicyArn(const OperationContext& context, std::string_view arn) {
  DYNOLITH_ASSIGN_OR_RETURN(ResourceName name, ParseResourceArn(context, arn));
  name.not_found = messages::TableNotFound(name.table_name);
  return name;
}

absl::Status NotFound(const ResourceName& name) {
  return MakeError(ErrorKind::kPolicyNotFound, messages::PolicyNotFound(name.arn));
}

// A deleted policy leaves a revision behind.
bool IsInForce(const std::optional<ResourcePolicy>& policy) {
  return policy && !policy->document.empty();
}

absl::Status CheckRevision(const std::optional<ResourcePolicy>& policy,
                           const std::optional<std::string>& expected, const ResourceName& name) {
  if (!expected || (!IsInForce(policy) && *expected == kNoPolicy)) return absl::OkStatus();
  if (IsInForce(policy) && *expected == kNoPolicy) {
    return MakeError(ErrorKind::kPolicyNotFound,
                     messages::PolicyExists(name.table_name, policy->revision_id));
  }
  if (!policy) {
    return MakeError(ErrorKind::kPolicyNotFound,
                     messages::PolicyRevisionUnknown(*expected, name.table_name));
  }
  if (policy->revision_id == *expected) return absl::OkStatus();
  return MakeError(
      ErrorKind::kPolicyNotFound,
      messages::PolicyRevisionDiffers(*expected, name.table_name, policy->revision_id));
}

absl::Status CheckNotRecent(const OperationContext& context, const ResourcePolicy& policy,
                            const ResourceName& name, absl::Time now) {
  if (now < policy.changed + context.delays.update) {
    return MakeError(ErrorKind::kResourceInUse, messages::PolicyBeingUpdated(name.table_name));
  }
  const absl::Time next = policy.changed + absl::Milliseconds(kPolicyCooldownMilliseconds);
  if (now >= next) return absl::OkStatus();
  return MakeError(
      ErrorKind::kThrottling,
      messages::PolicyChangedRecently(
          name.table_name, absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", next, absl::UTCTimeZone())));
}

absl::Status Put(const OperationContext& context, const PutResourcePolicyRequest& request,
                 const ResourceName& name, absl::Time now, std::optional<ResourcePolicy>* policy) {
  DYNOLITH_RETURN_IF_ERROR(CheckRevision(*policy, request.expected_revision_id, name));
  ResourcePolicy wanted = BuildPolicy(request.policy, now);
  if (*policy && (*policy)->document == wanted.document) return absl::OkStatus();
  if (*policy) DYNOLITH_RETURN_IF_ERROR(CheckNotRecent(context, **policy, name, now));
  *policy = std::move(wanted);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<PutResourcePolicyOutput> PutResourcePolicy(const OperationContext& context,
                                                          const PutResourcePolicyRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const ResourceName name, ParsePolicyArn(context, request.resource_arn));
  DYNOLITH_RETURN_IF_ERROR(CheckPolicyDocument(request.policy));
  const absl::Time now = context.clock->Now();
  PutResourcePolicyOutput output;
  DYNOLITH_RETURN_IF_ERROR(ChangeResource(context, name, [&](TableMeta* meta) {
    std::optional<ResourcePolicy>* policy = FindPolicy(name, meta);
    DYNOLITH_RETURN_IF_ERROR(Put(context, request, name, now, policy));
    output.revision_id = (*policy)->revision_id;
    return absl::OkStatus();
  }));
  return output;
}

absl::StatusOr<GetResourcePolicyOutput> GetResourcePolicy(const OperationContext& context,
                                                          const GetResourcePolicyRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const ResourceName name, ParsePolicyArn(context, request.resource_arn));
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const TableMeta> meta,
                            ReadResource(context, name));
  const std::optional<ResourcePolicy>& policy = FindPolicy(name, *meta);
  if (!IsInForce(policy)) return NotFound(name);
  return GetResourcePolicyOutput{ShownPolicy(policy->document), policy->revision_id};
}

absl::StatusOr<DeleteResourcePolicyOutput> DeleteResourcePolicy(
    const OperationContext& context, const DeleteResourcePolicyRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const ResourceName name, ParsePolicyArn(context, request.resource_arn));
  const absl::Time now = context.clock->Now();
  DeleteResourcePolicyOutput output;
  DYNOLITH_RETURN_IF_ERROR(ChangeResource(context, name, [&](TableMeta* meta) {
    std::optional<ResourcePolicy>* policy = FindPolicy(name, meta);
    DYNOLITH_RETURN_IF_ERROR(CheckRevision(*policy, request.expected_revision_id, name));
    if (!*policy) return absl::OkStatus();
    output.revision_id = (*policy)->revision_id;
    if (!IsInForce(*policy)) return absl::OkStatus();
    DYNOLITH_RETURN_IF_ERROR(CheckNotRecent(context, **policy, name, now));
    *policy = DeletedPolicy(now);
    return absl::OkStatus();
  }));
  return output;
}

}  // namespace dynolith
