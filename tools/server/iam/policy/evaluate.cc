#include "tools/server/iam/policy/evaluate.h"

#include <algorithm>

namespace dynolith::iam {
namespace {

constexpr PolicyKind kKinds[] = {PolicyKind::kIdentity, PolicyKind::kResource,
                                 PolicyKind::kBoundary, PolicyKind::kSession};

// To whom exactly a resource-based policy grants something, from the least to the most: a grant to
// the account only lets the account's identity-based policies decide, one to a role is limited by
// boundary and session policies, one to a user or a session by nothing.
enum class Grant { kNone, kAccount, kRole, kDirect };

Grant GrantOf(const StatementPrincipal& principal, const Caller& caller) {
  const bool is_session = !caller.role_arn.empty();
  switch (principal.kind) {
    case PrincipalKind::kEverybody:
      return is_session ? Grant::kRole : Grant::kDirect;
    case PrincipalKind::kAccount:
      return principal.text == caller.account ? Grant::kAccount : Grant::kNone;
    case PrincipalKind::kArn:
      if (principal.text == caller.arn) return Grant::kDirect;
      return is_session && principal.text == caller.role_arn ? Grant::kRole : Grant::kNone;
    case PrincipalKind::kForeign:
      break;
  }
  return Grant::kNone;
}

Grant GrantOf(const Statement& statement, const Caller& caller) {
  Grant best = Grant::kNone;
  for (const StatementPrincipal& principal : statement.principals) {
    best = std::max(best, GrantOf(principal, caller));
  }
  return best;
}

// NotPrincipal always denies who has a boundary. An account in it stands for its root only.
bool IsExcluded(const Statement& statement, const Caller& caller, bool has_boundary) {
  if (has_boundary) return false;
  return std::any_of(statement.principals.begin(), statement.principals.end(),
                     [&](const StatementPrincipal& principal) {
                       const Grant grant = GrantOf(principal, caller);
                       return grant > Grant::kAccount ||
                              (grant == Grant::kAccount && caller.is_root);
                     });
}

bool MatchesPrincipals(const Statement& statement, const Caller& caller, bool has_boundary) {
  if (!statement.has_principals) return true;
  if (statement.excludes_principals) return !IsExcluded(statement, caller, has_boundary);
  return GrantOf(statement, caller) != Grant::kNone;
}

class Evaluation {
 public:
  Evaluation(const Caller& caller, const PolicySet& policies, const AccessRequest& request)
      : caller_(caller), policies_(policies), request_(request) {}

  Decision Decide() const {
    for (const PolicyKind kind : kKinds) {
      if (AppliesAny(kind, /*allows=*/false)) return {false, true, kind};
    }
    if (caller_.account == request_.resource_account) return DecideWithinAccount();
    if (ResourceGrant() == Grant::kNone) return {false, false, PolicyKind::kResource};
    if (caller_.is_root) return {.is_allowed = true};
    return DecideByIdentity(/*is_granted=*/false);
  }

 private:
  bool Applies(const Statement& statement) const {
    return MatchStatement(statement, caller_, !policies_.boundary.empty(), request_).mismatch ==
           StatementPart::kNone;
  }
  bool AppliesAny(PolicyKind kind, bool allows) const {
    for (const NamedPolicy& named : policies_.OfKind(kind)) {
      for (const Statement& statement : named.policy->statements) {
        if (statement.allows == allows && Applies(statement)) return true;
      }
    }
    return false;
  }
  Grant ResourceGrant() const {
    Grant best = Grant::kNone;
    for (const NamedPolicy& named : policies_.resource) {
      for (const Statement& statement : named.policy->statements) {
        if (!statement.allows || !Applies(statement)) continue;
        best = std::max(best, GrantOf(statement, caller_));
      }
    }
    return best;
  }
  Decision DecideWithinAccount() const {
    if (caller_.is_root) return {.is_allowed = true};
    const Grant grant = ResourceGrant();
    if (grant == Grant::kDirect) return {.is_allowed = true};
    return DecideByIdentity(/*is_granted=*/grant == Grant::kRole);
  }
  // `is_granted`: by a resource-based policy, in place of an identity-based one.
  Decision DecideByIdentity(bool is_granted) const {
    if (!is_granted && !AppliesAny(PolicyKind::kIdentity, /*allows=*/true)) {
      return {false, false, PolicyKind::kIdentity};
    }
    for (const PolicyKind kind : {PolicyKind::kBoundary, PolicyKind::kSession}) {
      if (policies_.OfKind(kind).empty()) continue;
      if (!AppliesAny(kind, /*allows=*/true)) return {false, false, kind};
    }
    return {.is_allowed = true};
  }

  const Caller& caller_;
  const PolicySet& policies_;
  const AccessRequest& request_;
};

}  // namespace

std::string_view PolicyKindName(PolicyKind kind) {
  switch (kind) {
    case PolicyKind::kIdentity:
      return "identity-based policy";
    case PolicyKind::kResource:
      return "resource-based policy";
    case PolicyKind::kBoundary:
      return "permissions boundary";
    case PolicyKind::kSession:
      break;
  }
  return "session policy";
}

const std::vector<NamedPolicy>& PolicySet::OfKind(PolicyKind kind) const {
  switch (kind) {
    case PolicyKind::kIdentity:
      return identity;
    case PolicyKind::kResource:
      return resource;
    case PolicyKind::kBoundary:
      return boundary;
    case PolicyKind::kSession:
      break;
  }
  return session;
}

StatementMatch MatchStatement(const Statement& statement, const Caller& caller, bool has_boundary,
                              const AccessRequest& request) {
  if (!MatchesPrincipals(statement, caller, has_boundary)) return {StatementPart::kPrincipal};
  const bool is_action = std::any_of(
      statement.actions.begin(), statement.actions.end(),
      [&](const Pattern& action) { return action.Matches(request.action, request.context); });
  if (is_action == statement.excludes_actions) return {StatementPart::kAction};
  const bool is_resource = std::any_of(
      statement.resources.begin(), statement.resources.end(), [&](const Pattern& resource) {
        return resource.MatchesArn(request.resource, request.context);
      });
  if (is_resource == statement.excludes_resources) return {StatementPart::kResource};
  for (size_t i = 0; i < statement.conditions.size(); ++i) {
    if (!statement.conditions[i].Holds(request.context)) return {StatementPart::kCondition, i};
  }
  return {};
}

Decision Evaluate(const Caller& caller, const PolicySet& policies, const AccessRequest& request) {
  return Evaluation(caller, policies, request).Decide();
}

}  // namespace dynolith::iam
