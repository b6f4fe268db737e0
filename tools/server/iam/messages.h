// The texts about principals and refusals (api/facts/iam.md §5).
#ifndef DYNOLITH_TOOLS_SERVER_IAM_MESSAGES_H_
#define DYNOLITH_TOOLS_SERVER_IAM_MESSAGES_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- the service's

// `kind`: of the policies.
inline std::string NotAuthorized(std::string_view user, std::string_view action,
                                 std::string_view resource, std::string_view why) {
  return Concat("User: ", user, " is not authorized to perform: ", action,
                " on resource: ", resource, " ", why);
}
inline std::string NoPolicyAllows(std::string_view kind, std::string_view action) {
  return Concat("because no ", kind, " allows the ", action, " action");
}
inline std::string ExplicitDeny(std::string_view kind) {
  return Concat("with an explicit deny in ", kind.starts_with('i') ? "an " : "a ", kind);
}
inline std::string ExpiredToken() {
  return "The security token included in the request is expired";
}

// --- ours: calls

inline std::string IamBodyAmbiguous(std::string_view member) {
  return Concat("the body has the member \"", member,
                "\" twice, so that it is not certain what it wants to do");
}
inline std::string IamPolicyUnreadable(std::string_view resource, std::string_view fault) {
  return Concat("the resource-based policy of ", resource, " cannot be read: ", fault);
}
// For the log.
inline std::string WouldBeDenied(std::string_view reason) {
  return Concat("--iam enforce would refuse a call: ", reason);
}

// --- ours: the folder

inline std::string IamCannotRead(std::string_view path, std::string_view reason) {
  return Concat("cannot read ", path, ": ", reason);
}
inline std::string IamStrayEntry(std::string_view folder, std::string_view name) {
  return Concat(folder, "/", name,
                " is none of the parts of --iam-folder: policies, groups, users, roles and "
                "sessions, which are folders, and root.json");
}
inline std::string IamNobody(std::string_view folder) {
  return Concat("nobody in ", folder,
                " has an access key: users have theirs in AccessKeyMetadata, sessions in "
                "Credentials");
}
inline std::string IamNoPolicy(std::string_view arn, std::string_view file) {
  return Concat("there is no policy ", arn, ", which would be in ", file);
}
inline std::string IamNoGroup(std::string_view name, std::string_view folder) {
  return Concat("there is no group \"", name, "\" in ", folder);
}
inline std::string IamNoRole(std::string_view name, std::string_view folder) {
  return Concat("there is no role \"", name, "\" of this account in ", folder);
}
inline std::string IamRoleTwice(std::string_view name) {
  return Concat("another file has the role \"", name, "\", too");
}
inline std::string IamKeyTwice(std::string_view key, std::string_view other) {
  return Concat("the access key ", key, " is also in ", other);
}
inline std::string IamNoSessionArn(std::string_view arn) {
  return Concat(arn, " has not the form arn:aws:sts::123456789012:assumed-role/ROLE/SESSION");
}
inline std::string IamNoTime(std::string_view text) {
  return Concat("\"", text, "\" is no time such as 2026-11-28T12:00:00Z");
}

// --- ours: explanations

inline std::string ExplainWants(std::string_view member, std::string_view example) {
  return Concat("the body needs \"", member, "\"; an example: ", example);
}
inline std::string ExplainUnknown(std::string_view member) {
  return Concat("the body may not have \"", member,
                "\"; there are access_key, operation, body, database, source_ip, secure");
}
// `is_not`: whether it is NotAction, and so on.
inline std::string ElementMismatch(std::string_view element, bool is_not) {
  return Concat(is_not ? "Not" : "", element, is_not ? " excludes it" : " does not match");
}
inline std::string ConditionMismatch(std::string_view name, std::string_view key,
                                     std::string_view wanted, std::string_view found) {
  return Concat(name, " of ", key, " wants ", wanted, "; the request has ", found);
}
inline std::string ConditionAbsent(std::string_view name, std::string_view key,
                                   std::string_view wanted) {
  return Concat(name, " of ", key, " wants ", wanted, "; the request has no such key");
}
inline std::string ExplainNobody(std::string_view access_key) {
  return Concat("nobody in --iam-folder has the access key ", access_key);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_SERVER_IAM_MESSAGES_H_
