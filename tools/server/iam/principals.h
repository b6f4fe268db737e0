// Users, roles and sessions from a folder, in the JSON of IAM's and STS's own answers
// (tools/manual/iam.md).
//
//   DIR/policies/NAME.json   a policy, attached by its ARN
//   DIR/groups/NAME.json     as GroupDetailList of `aws iam get-account-authorization-details`
//   DIR/users/NAME.json      as UserDetailList, with AccessKeyMetadata of `aws iam
//   list-access-keys` DIR/roles/NAME.json      as RoleDetailList DIR/sessions/NAME.json   the
//   answer of `aws sts assume-role`, with the Policy, PolicyArns, Tags
//                            and SourceIdentity that it was asked with
//   DIR/root.json            AccessKeyMetadata of the account's root
#ifndef DYNOLITH_TOOLS_SERVER_IAM_PRINCIPALS_H_
#define DYNOLITH_TOOLS_SERVER_IAM_PRINCIPALS_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/server/iam/policy/evaluate.h"

namespace dynolith::iam {

// Who may call with some access key.
struct Principal {
  Caller caller;
  std::string type;             // aws:PrincipalType: "User", "AssumedRole", "Account"
  std::string user_name;        // of a user
  std::string user_id;          // aws:userid
  std::string source_identity;  // of a session; empty: none
  std::map<std::string, std::string> tags;
  PolicySet policies;                 // without resource-based ones
  std::optional<absl::Time> expires;  // of a session
};

// Of a session's file.
struct SessionSecret {
  std::string secret_key;
  std::string session_token;
};

struct Principals {
  std::map<std::string, Principal, std::less<>> by_access_key;
  std::map<std::string, SessionSecret, std::less<>> session_secrets;  // by access key

  // nullptr: nobody has that key.
  const Principal* Find(std::string_view access_key) const;
};

// "123456789012" of an ARN; empty if it has none.
std::string AccountOfArn(std::string_view arn);

// `account`: of principals whose files have no ARN. Errors: kNotFound if the folder cannot be read;
// kInvalidArgument for a file with a fault, which it names with line and column.
absl::StatusOr<Principals> LoadPrincipals(const std::string& folder, std::string_view account);

}  // namespace dynolith::iam

#endif  // DYNOLITH_TOOLS_SERVER_IAM_PRINCIPALS_H_
