// Message texts of the item operations' own rules (api/facts/operations.md §1-§3,
// api/facts/expressions.md §8).
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_ITEMS_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_ITEMS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- Tables and indexes, as the data plane sees them ---

inline std::string ResourceNotFound() { return "Requested resource not found"; }
inline std::string NoSuchIndex(std::string_view index) {
  return Concat("The table does not have the specified index: ", index);
}
inline std::string IndexIsBackfilling(std::string_view index) {
  return Concat("Cannot read from backfilling global secondary index: ", index);
}

// --- Parameters (the rest is in expressions.h) ---

// The older wording; `absent` lists the expressions that could have used values.
inline std::string ValuesWithoutExpressionOlder(std::string_view absent) {
  return Concat("ExpressionAttributeValues can only be specified when using expressions: ", absent);
}
inline std::string ReturnValuesOldOrNone() { return "ReturnValues can only be ALL_OLD or NONE"; }
inline std::string ConditionFailed() { return "The conditional request failed"; }

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

inline std::string ConsistentReadOnGlobalIndex() {
  return "Consistent reads are not supported on global secondary indexes";
}
inline std::string AllAttributesNotProjected(std::string_view index) {
  return Concat(
      "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for "
      "global secondary index ",
      index, " because its projection type is not ALL");
}
// Of Scan, too.
inline std::string AllProjectedWithoutIndex() {
  return "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName";
}
inline std::string SpecificAttributesWithoutProjection() {
  return "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
         "SPECIFIC_ATTRIBUTES";
}
// `parameter` is AttributesToGet or ProjectionExpression, `choice` "ALL_ATTRIBUTES",
// "ALL_PROJECTED_ATTRIBUTES" or "only the Count".
inline std::string ProjectionWithSelect(std::string_view parameter, std::string_view choice) {
  return Concat("Cannot specify the ", parameter, " when choosing to get ", choice);
}
inline std::string IndexDoesNotProject(std::string_view index, std::string_view attributes) {
  return Concat("One or more parameter values were invalid: Global secondary index ", index,
                " does not project [", attributes, "]");
}
inline std::string IndexKeyTooLong(std::string_view attribute, size_t bytes, size_t bytes_max,
                                   std::string_view index) {
  return Concat("One or more parameter values were invalid: Size limit exceeded for Index Key ",
                attribute, " Actual Size: ", bytes, " bytes Max Size: ", bytes_max,
                " bytes IndexName: ", index);
}
inline std::string FilterNotProjected(std::string_view index, std::string_view attributes) {
  return Concat("One or more parameter values were invalid: Secondary index ", index,
                " does not project one or more filter attributes: [", attributes, "]");
}
inline std::string StartKeyInvalid() { return "The provided starting key is invalid"; }
inline std::string StartKeyMismatch() {
  return "The provided starting key is invalid: The provided key element does not match the "
         "schema";
}
// A query of a table without a sort key finds one item at most; `value` is what LiteralText
// returns.
inline std::string StartKeyOfHashOnlyTable(std::string_view attribute, std::string_view value) {
  return Concat("The provided exclusive start key is invalid: ExclusiveStartKey: {", attribute, "=",
                value, "}");
}
inline std::string StartKeyOutsideQuery() {
  return "The provided starting key is outside query boundaries based on provided conditions";
}
inline std::string QueryCannotRestart() {
  return "The query can return at most one row and cannot be restarted";
}
inline std::string StartKeyOutsideRange() {
  return "The provided starting key does not match the range key predicate";
}
inline std::string StartKeyWrongSegment(int64_t total_segments, int64_t segment) {
  return Concat(
      "The provided starting key is invalid: Invalid ExclusiveStartKey. Please use "
      "ExclusiveStartKey with correct Segment. TotalSegments: ",
      total_segments, " Segment: ", segment);
}
inline std::string TotalSegmentsMissing() {
  return "The TotalSegments parameter is required but was not present in the request when Segment "
         "parameter is present";
}
inline std::string SegmentMissing() {
  return "The Segment parameter is required but was not present in the request when parameter "
         "TotalSegments is present";
}
inline std::string SegmentTooLarge(int64_t segment, int64_t total_segments) {
  return Concat(
      "The Segment parameter is zero-based and must be less than parameter "
      "TotalSegments: Segment: ",
      segment, " is not less than TotalSegments: ", total_segments);
}

// --- Batches ---

inline std::string TooManyItems(std::string_view operation) {
  return Concat("Too many items requested for the ", operation, " call");
}
inline std::string DuplicateKeys() { return "Provided list of item keys contains duplicates"; }
inline std::string RequestItemsRequired(std::string_view operation) {
  return Concat("The requestItems parameter is required for ", operation);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_ITEMS_H_
