// The texts about members of a request that violate their constraints (api/facts/wire.md §8-§9,
// api/facts/operations.md §1).
#ifndef DYNOLITH_ENGINE_MODEL_MESSAGES_H_
#define DYNOLITH_ENGINE_MODEL_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- Member constraints ---

inline std::string ValidationErrors(size_t count, std::string_view joined) {
  return Concat(count, count == 1 ? " validation error" : " validation errors",
                " detected: ", joined);
}
// `value` is quoted already; null is not quoted.
inline std::string ConstraintFailure(std::string_view value, std::string_view path,
                                     std::string_view constraint) {
  return Concat("Value ", value, " at '", path, "' failed to satisfy constraint: ", constraint);
}
// The newer form, which does not repeat the value.
inline std::string ShortConstraintFailure(std::string_view path, std::string_view constraint) {
  return Concat("Value at '", path, "' failed to satisfy constraint: ", constraint);
}
inline std::string AnonymousConstraintFailure(std::string_view constraint) {
  return Concat("Failed to satisfy constraint: ", constraint);
}
// The unpaired quotation mark is the service's.
inline std::string ConstraintFailureFor(std::string_view constraint, std::string_view member) {
  return Concat(constraint, "' for ", member);
}
inline std::string MustNotBeNull() { return "Member must not be null"; }
inline std::string MustHaveLength(bool at_least, int64_t bound) {
  return Concat("Member must have length ", at_least ? "greater" : "less", " than or equal to ",
                bound);
}
inline std::string MustHaveValue(bool at_least, int64_t bound) {
  return Concat("Member must have value ", at_least ? "greater" : "less", " than or equal to ",
                bound);
}
inline std::string MustMatchPattern(std::string_view pattern) {
  return Concat("Member must satisfy regular expression pattern: ", pattern);
}
inline std::string MustBeInEnum(std::string_view values) {
  return Concat("Member must satisfy enum value set: [", values, "]");
}
inline std::string MapKeysMust(std::string_view constraints) {
  return Concat("Map keys must satisfy constraint: [", constraints, "]");
}
inline std::string MapValueMust(std::string_view constraints) {
  return Concat("Map value must satisfy constraint: [", constraints, "]");
}
inline std::string ListMembersMust(std::string_view constraints) {
  return Concat("Member must satisfy constraint: [", constraints, "]");
}
inline std::string ParameterMissing(std::string_view name) {
  return Concat("The parameter '", name, "' is required but was not present in the request");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_MODEL_MESSAGES_H_
