// The texts about policies that cannot be read.
#ifndef DYNOLITH_TOOLS_SERVER_IAM_POLICY_MESSAGES_H_
#define DYNOLITH_TOOLS_SERVER_IAM_POLICY_MESSAGES_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// "ann.json:4:18: Statement[0].Effect: …". `path`: empty for the whole text.
inline std::string PolicyFault(std::string_view file, size_t line, size_t column,
                               std::string_view path, std::string_view reason) {
  return Concat(file, ":", line, ":", column, ": ", path, path.empty() ? "" : ": ", reason);
}

inline std::string PolicyNoJson() { return "from here on this is no JSON"; }
inline std::string PolicyWants(std::string_view wanted) { return Concat("must be ", wanted); }
// `nearest`: empty if no known word resembles it.
inline std::string PolicyUnknownElement(std::string_view name, std::string_view nearest) {
  return nearest.empty()
             ? Concat("there is no element \"", name, "\" here")
             : Concat("there is no element \"", name, "\" here; \"", nearest, "\" resembles it");
}
inline std::string PolicyElementTwice(std::string_view name) {
  return Concat("the element \"", name, "\" occurs twice");
}
inline std::string PolicyElementMissing(std::string_view name) {
  return Concat("the element ", name, " is missing");
}
inline std::string PolicyElementExcluded(std::string_view name, std::string_view other) {
  return Concat("there may be ", name, " or ", other, ", not both");
}
inline std::string PolicyElementElsewhere(std::string_view name) {
  return Concat(name, " belongs to a resource-based policy, not to this one");
}
inline std::string PolicyNotPrincipalAllows() {
  return "NotPrincipal may only deny: with \"Effect\": \"Allow\" it would let in everybody else";
}
inline std::string PolicyVersionUnknown(std::string_view version) {
  return Concat("the version must be \"2012-10-17\" or \"2008-10-17\", not \"", version, "\"");
}
inline std::string PolicyEffectUnknown(std::string_view effect) {
  return Concat("the effect must be Allow or Deny, not \"", effect, "\"");
}
inline std::string PolicySidInvalid(std::string_view sid) {
  return Concat("a Sid has letters and digits only, unlike \"", sid, "\"");
}
inline std::string PolicySidTwice(std::string_view sid) {
  return Concat("another statement has the Sid \"", sid, "\", too");
}
inline std::string PolicyEmptyList() { return "the list is empty"; }
inline std::string PolicyActionInvalid(std::string_view action) {
  return Concat("an action is * or has the form service:Action, unlike \"", action, "\"");
}
inline std::string PolicyResourceInvalid(std::string_view resource) {
  return Concat("resource ", resource, " must be in ARN format or \"*\"");
}
inline std::string PolicyVariableOpen(std::string_view text) {
  return Concat("a policy variable in \"", text, "\" is not closed or has no name");
}
inline std::string PolicyPrincipalKind(std::string_view kind) {
  return Concat("there is no kind of principal \"", kind,
                "\"; there are AWS, Service, Federated and CanonicalUser");
}
inline std::string PolicyPrincipalInvalid(std::string_view principal) {
  return Concat(
      "a principal is *, an account of 12 digits, or the whole ARN of an account, a user, "
      "a role or a session, unlike \"",
      principal, "\"");
}
inline std::string PolicyOperatorUnknown(std::string_view name, std::string_view nearest) {
  return nearest.empty() ? Concat("there is no condition operator \"", name, "\"")
                         : Concat("there is no condition operator \"", name, "\"; \"", nearest,
                                  "\" resembles it");
}
inline std::string PolicyOperatorPart(std::string_view name, std::string_view part) {
  return Concat("the operator ", name, " cannot have ", part);
}
inline std::string PolicyKeyInvalid(std::string_view key) {
  return Concat("a condition key has the form prefix:Name, unlike \"", key, "\"");
}
// `wanted`: "a number", "a network such as 10.0.0.0/8".
inline std::string PolicyValueInvalid(std::string_view name, std::string_view wanted,
                                      std::string_view value) {
  return Concat(name, " wants ", wanted, ", not \"", value, "\"");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_SERVER_IAM_POLICY_MESSAGES_H_
