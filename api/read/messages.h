// The texts of the reading operations.
#ifndef DYNOLITH_API_READ_MESSAGES_H_
#define DYNOLITH_API_READ_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// ===== The item operations' own rules (api/facts/operations.md §1-§3, api/facts/expressions.md
// §8).

// --- Query and Scan ---

// Also for Scan.
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
// In a store of several processes.
inline std::string TableGoneUnderPage(std::string_view table) {
  return Concat("table ", table, " or its index was dropped while a page of it was read");
}
inline std::string StartKeyInvalid() { return "The provided starting key is invalid"; }
inline std::string StartKeyMismatch() {
  return "The provided starting key is invalid: The provided key element does not match the "
         "schema";
}
// A query of a table without a sort key finds at most one item. `value`: returned by LiteralText.
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

// ===== Vector indexes and SearchVectors (api/facts/newest.md §3, the service's guide
// "Troubleshooting vector indexes"). "Ours": the service refuses this, too, with an unknown text.

namespace vectors_internal {
inline std::string Condition(std::string_view text) {
  return Concat("Invalid SearchConditionExpression: ", text);
}
}  // namespace vectors_internal

// --- Reading ---

inline std::string TopKOutOfRange(int64_t top_k, int64_t limit) {
  return Concat("Provided TopK value '", top_k,
                "' is out of valid range. The value must be between 1 and ", limit, " inclusive");
}
inline std::string SearchVectorDimension(size_t given, int64_t dimensions) {
  return Concat("Input search vector dimension ", given, " does not match vector index dimension ",
                dimensions);
}
inline std::string SearchVectorInvalid() {
  return "Search vector contains invalid values. All values in the search vector must be a 32-bit "
         "floating-point number attribute";
}
inline std::string SearchConditionMissing() {
  return "SearchConditionExpression must be provided when SearchSchema has a HASH key";
}
inline std::string SearchConditionComparator() {
  return vectors_internal::Condition("Invalid comparator used in SearchConditionExpression");
}
inline std::string SearchConditionOutsideSchema(std::string_view attribute) {
  return Concat(
      "SearchConditionExpression must not contain any attributes that is not in SearchSchema. "
      "Invalid attribute: ",
      attribute);
}
// Ours.
inline std::string SearchConditionNestedPath(std::string_view path) {
  return vectors_internal::Condition(
      Concat("Only top-level attributes can be referenced. Invalid path: ", path));
}

// ===== Expressions, placeholders and the legacy parameters (api/facts/expressions.md §2-§9,
// api/facts/newest.md §1).

// --- KeyConditionExpression

inline std::string KeyConditionRequired() {
  return "Either the KeyConditions or KeyConditionExpression parameter must be specified in the "
         "request.";
}

// --- Legacy parameters

inline std::string QueryFilterOnKey(std::string_view attribute) {
  return Concat("QueryFilter can only contain non-primary key attributes: Primary key attribute: ",
                attribute);
}

inline std::string FilterExpressionOnKey(std::string_view attribute) {
  return Concat(
      "Filter Expression can only contain non-primary key attributes: Primary key attribute: ",
      attribute);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_API_READ_MESSAGES_H_
