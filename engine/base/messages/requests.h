// Message texts of reading a request: JSON types, member constraints, attribute values
// (api/facts/wire.md §8-§9, api/facts/values.md §1-§6, api/facts/operations.md §1).
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_REQUESTS_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_REQUESTS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- JSON types (SerializationException) ---

// `token` is "TRUE_VALUE", "NUMBER_VALUE", ...; `type` "String", "Integer", ...
inline std::string NotConvertible(std::string_view token, std::string_view type) {
  return Concat(token, " cannot be converted to ", type);
}
inline std::string ListForClass(std::string_view class_name) {
  return Concat("Unrecognized collection type class ", class_name);
}
inline std::string ListForMap(std::string_view value_class) {
  return Concat("Unrecognized collection type java.util.Map<java.lang.String, ", value_class, ">");
}
inline std::string UnexpectedStructure() {
  return "Start of structure or map found where not expected";
}
inline std::string UnexpectedToken() { return "Unexpected token received from parser"; }
inline std::string UnexpectedFieldType() { return "Unexpected field type"; }
inline std::string UnexpectedValueType() { return "Unexpected value type in payload"; }
inline std::string ScalarForGeneric() {
  return "class sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl cannot be cast to "
         "class java.lang.Class (sun.reflect.generics.reflectiveObjects.ParameterizedTypeImpl and "
         "java.lang.Class are in module java.base of loader 'bootstrap')";
}
inline std::string NotBase64Text() {
  return "only base-64-encoded strings are convertible to bytes";
}
inline std::string Base64Length(size_t length) {
  return Concat("Base64 encoded length is expected a multiple of 4 bytes but found: ", length);
}
inline std::string Base64NotCanonical() {
  return "Invalid last non-pad Base64 character dectected";
}

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
// With the service's lonely quotation mark.
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

// Ours: what was under way when the server was told to end.
inline std::string ServerEnds() { return "The server is shutting down"; }

// --- Attribute values; what is wrong with one itself is in values.h ---

inline std::string ExpressionValueInvalid(std::string_view message, std::string_view name) {
  return Concat("ExpressionAttributeValues contains invalid value: ", message, " for key ", name);
}
inline std::string StartKeyValueInvalid(std::string_view message) {
  return Concat("The provided starting key is invalid: ", message);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_REQUESTS_H_
