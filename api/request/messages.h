// The texts that the operations on items share: keys, parameters, capacity.
#ifndef DYNOLITH_API_REQUEST_MESSAGES_H_
#define DYNOLITH_API_REQUEST_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"
#include "engine/value/messages.h"

namespace dynolith::messages {

// ===== The item operations' own rules (api/facts/operations.md §1-§3, api/facts/expressions.md
// §8).

// --- Tables and indexes, as the data plane sees them ---

inline std::string ResourceNotFound() { return "Requested resource not found"; }

// --- Parameters (of expressions: engine/expr/messages.h) ---

// The older wording; `absent` lists the expressions that could have used values.
inline std::string ValuesWithoutExpressionOlder(std::string_view absent) {
  return Concat("ExpressionAttributeValues can only be specified when using expressions: ", absent);
}

// --- Updates ---

inline std::string UpdatedIndexKeyType() {
  return "The update expression attempted to update the secondary index key to unsupported type";
}
inline std::string UpdatedIndexKeySize() {
  return "The update expression attempted to update the secondary index key beyond allowed size "
         "limits";
}
// `type`: "S" or "B".
inline std::string UpdatedIndexKeyEmpty(std::string_view type) {
  return Concat(
      "One or more parameter values are not valid. The update expression attempted to update a "
      "secondary index key to a value that is not supported. The AttributeValue for a key "
      "attribute cannot contain an empty ",
      type == "B" ? "binary" : "string", " value.");
}

// --- Query and Scan ---

inline std::string IndexKeyTooLong(std::string_view attribute, size_t bytes, size_t bytes_max,
                                   std::string_view index) {
  return Concat("One or more parameter values were invalid: Size limit exceeded for Index Key ",
                attribute, " Actual Size: ", bytes, " bytes Max Size: ", bytes_max,
                " bytes IndexName: ", index);
}

// ===== Partitions and enforced capacity.

// --- throttling (api/facts/capacity.md §7)

inline std::string TableUnitsExceeded() {
  return "The level of configured provisioned throughput for the table was exceeded. Consider "
         "increasing your provisioning level with the UpdateTable API.";
}
inline std::string IndexUnitsExceededByWrite() {
  return "The level of configured provisioned throughput for one or more global secondary indexes "
         "of the table was exceeded. Consider increasing your provisioning level for the "
         "under-provisioned global secondary indexes with the UpdateTable API";
}
inline std::string IndexUnitsExceededByRead() {
  return "The level of configured provisioned throughput for the index was exceeded. Consider "
         "increasing your provisioning level with the UpdateTable API.";
}
inline std::string OnDemandCapacityExceeded() {
  return "Throughput exceeds the current capacity of your table or index. DynamoDB is "
         "automatically "
         "scaling your table or index so please try again shortly. If exceptions persist, check if "
         "you have a hot key: "
         "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/"
         "bp-partition-key-design.html";
}
inline std::string OnDemandIndexCapacityExceededByWrite() {
  return "Throughput exceeds the current capacity for one or more global secondary indexes. "
         "DynamoDB is automatically scaling your index so please try again shortly.";
}
inline std::string OnDemandMaximumExceeded() {
  return "Throughput exceeds the maximum OnDemandThroughput configured on table or index";
}
inline std::string AccountThroughputExceeded() {
  return "Throughput exceeds the current throughput limit for your account. To request a limit "
         "increase, contact AWS Support at https://aws.amazon.com/support.";
}
// For calls that do not concern items.
inline std::string TooManyControlChanges() {
  return "The rate of control plane requests made by this account is too high";
}
inline std::string TooManyDescriptions() { return "Rate exceeded"; }
// For a partition in either billing mode: "Table" or "Index", "Read" or "Write".
inline std::string ThrottlingReasonName(bool is_index, bool is_write, std::string_view limit) {
  return Concat(is_index ? "Index" : "Table", is_write ? "Write" : "Read", limit, "Exceeded");
}

// ===== Attribute values, numbers, sizes and keys (api/facts/values.md §1-§8), and damaged bytes.

// --- Keys (§8) ---

namespace values_internal {
inline std::string KeyCannotBeEmpty(Type type) {
  return Concat("The AttributeValue for a key attribute cannot contain an empty ",
                TypeName(type) == "B" ? "binary" : "string", " value. ");
}
}  // namespace values_internal

// `type` is S or B. The 2026 captures show the current text for every operation; the older one is
// for `Key` parameters of the older layer.
inline std::string EmptyKeyValue(Type type, std::string_view attribute,
                                 ValueLayer layer = ValueLayer::kCurrent) {
  return Concat(layer == ValueLayer::kCurrent ? "One or more parameter values are not valid. "
                                              : "One or more parameter values were invalid: ",
                values_internal::KeyCannotBeEmpty(type), "Key: ", attribute);
}
inline std::string EmptyIndexKeyValue(Type type, std::string_view index,
                                      std::string_view attribute) {
  return Concat(
      "One or more parameter values are not valid. A value specified for a secondary index key is "
      "not supported. ",
      values_internal::KeyCannotBeEmpty(type), "IndexName: ", index, ", IndexKey: ", attribute);
}
inline std::string MissingKey(std::string_view attribute) {
  return Concat("One or more parameter values were invalid: Missing the key ", attribute,
                " in the item");
}
inline std::string KeyTypeMismatch(std::string_view attribute, Type expected, Type actual) {
  return Concat("One or more parameter values were invalid: Type mismatch for key ", attribute,
                " expected: ", TypeName(expected), " actual: ", TypeName(actual));
}
inline std::string IndexKeyTypeMismatch(std::string_view attribute, Type expected, Type actual,
                                        std::string_view index) {
  return Concat("One or more parameter values were invalid: Type mismatch for Index Key ",
                attribute, " Expected: ", TypeName(expected), " Actual: ", TypeName(actual),
                " IndexName: ", index);
}
inline std::string KeyMismatch() { return "The provided key element does not match the schema"; }

// ===== Vector indexes and SearchVectors (api/facts/newest.md §3, the service's guide
// "Troubleshooting vector indexes"). "Ours": the service refuses this, too, with an unknown text.

// --- Items ---

namespace vectors_internal {
// A violation by the parameter of a vector index; the full stops are the service's.
inline std::string Parameter(std::string_view text, std::string_view index) {
  return Concat("One or more parameter values were invalid. ", text, " IndexName: ", index);
}
inline constexpr std::string_view kFloat = "32-bit floating point number";
}  // namespace vectors_internal

inline std::string VectorSizeMismatch(std::string_view attribute, int64_t expected, size_t actual,
                                      std::string_view index) {
  return vectors_internal::Parameter(Concat("Invalid size for parameter ", attribute,
                                            ", Expected: ", expected, ", Actual: ", actual),
                                     index);
}
// For an attribute that is not a list.
inline std::string VectorTypeMismatch(std::string_view attribute, std::string_view index) {
  return vectors_internal::Parameter(Concat("Invalid type for parameter ", attribute,
                                            ", Expected: ", vectors_internal::kFloat, " list"),
                                     index);
}
// `element`: "a[0]". `actual`: its type.
inline std::string VectorElementMismatch(std::string_view element, std::string_view actual,
                                         std::string_view index) {
  return vectors_internal::Parameter(Concat("Invalid type for parameter ", element, ", Expected: ",
                                            vectors_internal::kFloat, ", Actual: ", actual, "."),
                                     index);
}
// Ours.
inline std::string VectorElementTooLarge(std::string_view element, std::string_view index) {
  return vectors_internal::Parameter(Concat("Invalid value for parameter ", element,
                                            ", Expected: ", vectors_internal::kFloat, "."),
                                     index);
}
inline std::string VectorElement(std::string_view attribute, size_t i) {
  return Concat(attribute, "[", i, "]");
}

// ===== Expressions, placeholders and the legacy parameters (api/facts/expressions.md §2-§9,
// api/facts/newest.md §1).

// --- Placeholders

// Each set is comma-separated: "Expected", "ConditionExpression".
inline std::string MixedParameters(std::string_view legacy, std::string_view expressions) {
  return Concat(
      "Can not use both expression and non-expression parameters in the same request: "
      "Non-expression parameters: {",
      legacy, "} Expression parameters: {", expressions, "}");
}

inline std::string NamesWithoutExpression() {
  return "ExpressionAttributeNames can only be specified when using expressions";
}

inline std::string ValuesWithoutExpression() {
  return "ExpressionAttributeValues can only be specified when using expressions";
}

// --- Legacy parameters

inline std::string ConditionalOperatorAlone() {
  return "ConditionalOperator cannot be used without Filter or Expected";
}

inline std::string ConditionalOperatorOfOne() {
  return "ConditionalOperator can only be used when Filter or Expected has two or more elements";
}

// ===== CreateTable, UpdateTable and DeleteTable (api/facts/operations.md §1.3, §5).

// --- Names and ARNs ---

// `part`: "AWS region", "AWS partition" or "resource type".
inline std::string InvalidArnPart(std::string_view part, std::string_view arn) {
  return Concat("1 validation error detected: Invalid ", part, " in '", arn, "'");
}
inline std::string ArnNotFound(std::string_view arn) {
  return Concat("Requested resource not found: ResourceArn: ", arn, " not found");
}

// ===== Reading a request: JSON types, member constraints, attribute values (api/facts/wire.md
// §8-§9, api/facts/values.md §1-§6, api/facts/operations.md §1).

// --- Member constraints ---

// Ours, for calls that were running when the server was told to end.
inline std::string ServerEnds() { return "The server is shutting down"; }

// ===== Tags, policies, backups, insights and the tables' states (api/facts/operations.md
// §5.5-§5.7).

// --- Tags ---

inline std::string PageTokenInvalid() { return "Invalid NextToken"; }

}  // namespace dynolith::messages

#endif  // DYNOLITH_API_REQUEST_MESSAGES_H_
