// Whether policies let a caller do something: the service's evaluation of all kinds of policies
// together (api/facts/iam.md §4).
#ifndef DYNOLITH_TOOLS_SERVER_IAM_POLICY_EVALUATE_H_
#define DYNOLITH_TOOLS_SERVER_IAM_POLICY_EVALUATE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/server/iam/policy/policy.h"
#include "tools/server/iam/policy/request_context.h"

namespace dynolith::iam {

// Who calls.
struct Caller {
  std::string arn;       // of a user, a role's session or an account's root
  std::string role_arn;  // of a session; else empty
  std::string account;
  bool is_root = false;
};

struct NamedPolicy {
  std::string name;  // for explanations
  std::shared_ptr<const Policy> policy;
};

// In the order in which a reason is sought.
enum class PolicyKind : uint8_t { kIdentity, kResource, kBoundary, kSession };
// "identity-based policy".
std::string_view PolicyKindName(PolicyKind kind);

struct PolicySet {
  std::vector<NamedPolicy> identity;
  std::vector<NamedPolicy> boundary;  // empty: the caller has none
  std::vector<NamedPolicy> session;   // empty: the session was made without any
  std::vector<NamedPolicy> resource;

  const std::vector<NamedPolicy>& OfKind(PolicyKind kind) const;
};

struct AccessRequest {
  std::string action;            // "dynamodb:GetItem"
  std::string resource;          // an ARN, or "*"
  std::string resource_account;  // whose it is
  RequestContext context;
};

struct Decision {
  bool is_allowed = false;
  bool is_explicit = false;                 // whether a statement denies it; else none allows it
  PolicyKind kind = PolicyKind::kIdentity;  // of the policies that deny, or lack a statement
};

Decision Evaluate(const Caller& caller, const PolicySet& policies, const AccessRequest& request);

// Which element of a statement keeps it from applying to a request.
enum class StatementPart : uint8_t { kNone, kPrincipal, kAction, kResource, kCondition };
struct StatementMatch {
  StatementPart mismatch = StatementPart::kNone;  // kNone: it applies
  size_t condition = 0;                           // of kCondition, from 0
};
// `has_boundary`: whether the caller has a permissions boundary.
StatementMatch MatchStatement(const Statement& statement, const Caller& caller, bool has_boundary,
                              const AccessRequest& request);

}  // namespace dynolith::iam

#endif  // DYNOLITH_TOOLS_SERVER_IAM_POLICY_EVALUATE_H_
