// An IAM policy: its statements, parsed once and then asked often (api/facts/iam.md §1).
#ifndef DYNOLITH_TOOLS_SERVER_IAM_POLICY_POLICY_H_
#define DYNOLITH_TOOLS_SERVER_IAM_POLICY_POLICY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/text/json_tree.h"
#include "tools/server/iam/policy/condition.h"
#include "tools/server/iam/policy/pattern.h"

namespace dynolith::iam {

enum class PrincipalKind : uint8_t {
  kEverybody,  // "*"
  kAccount,    // an account, by its number or by the ARN of its root
  kArn,        // a user, a role or a session, whole
  kForeign,    // a service, a federation or a canonical user: nobody who calls here
};

struct StatementPrincipal {
  PrincipalKind kind = PrincipalKind::kEverybody;
  std::string text;  // of kAccount the 12 digits
};

struct Statement {
  size_t number = 0;  // in its policy, from 0
  size_t line = 0;    // in its text, from 1
  std::string sid;    // empty: none
  bool allows = false;
  bool has_principals = false;
  bool excludes_principals = false;  // NotPrincipal
  std::vector<StatementPrincipal> principals;
  bool excludes_actions = false;  // NotAction
  std::vector<Pattern> actions;
  bool excludes_resources = false;  // NotResource
  std::vector<Pattern> resources;
  std::vector<Condition> conditions;
};

struct Policy {
  std::vector<Statement> statements;
};

enum class PolicyUse : uint8_t {
  kIdentity,  // also a boundary, or of a session: for the one who has it, so without principals
  kResource,  // each statement names principals
};

// `name`: of the text in messages. Errors: kInvalidArgument "NAME:LINE:COLUMN: Statement[0].Effect:
// reason".
absl::StatusOr<Policy> ParsePolicy(std::string_view text, std::string_view name, PolicyUse use);
// The same for a part of a larger text. `path`: of the part, in messages: "UserPolicyList[0]".
absl::StatusOr<Policy> ReadPolicy(const JsonTree& tree, std::string_view name,
                                  std::string_view path, PolicyUse use);

// kInvalidArgument with the place of `at` and the reason.
absl::Status PolicyErrorAt(const JsonTree& at, std::string_view name, std::string_view path,
                           std::string_view reason);
// JSON, or kInvalidArgument with the place where it is none.
absl::StatusOr<JsonTree> ParsePolicyJson(std::string_view text, std::string_view name);

}  // namespace dynolith::iam

#endif  // DYNOLITH_TOOLS_SERVER_IAM_POLICY_POLICY_H_
