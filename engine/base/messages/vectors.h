// Message texts of vector indexes and of SearchVectors (api/facts/newest.md §3, the service's guide
// "Troubleshooting vector indexes"). "Ours" marks texts for what the service refuses in words that
// are not known.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_VECTORS_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_VECTORS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/messages/tables.h"
#include "engine/base/strings.h"

namespace dynolith::messages {

namespace vectors_internal {
inline std::string Condition(std::string_view text) {
  return Concat("Invalid SearchConditionExpression: ", text);
}
}  // namespace vectors_internal

// --- Definitions ---

inline std::string TooManyVectorIndexes(int limit) {
  return tables_internal::Invalid(
      Concat("VectorIndex count exceeds the per-table limit of ", limit));
}
inline std::string SearchSchemaNotDefined() {
  return tables_internal::Invalid(
      "One element in SearchSchema is not defined in attribute definitions");
}
inline std::string VectorsNeedPayPerRequest() {
  return tables_internal::Invalid("Vector indexes are only supported for PAY_PER_REQUEST tables");
}
inline std::string DimensionsOutOfRange(int64_t limit) {
  return tables_internal::Invalid(
      Concat("Number of dimensions must be between 1 and ", limit, " inclusive."));
}
inline std::string DimensionsDiffer(std::string_view attribute) {
  return tables_internal::Invalid(
      Concat("Conflicting attribute definition for '", attribute,
             "'. All VectorIndexes on the same vector attribute must use the same dimensions."));
}
// Ours, down to the next heading.
// `type`: "HASH" or "INLINE_FILTER".
inline std::string TooManySearchElements(std::string_view type, int limit) {
  return tables_internal::Invalid(
      Concat("The SearchSchema has more than ", limit, " ", type, " elements"));
}
inline std::string SearchElementRepeated(std::string_view attribute) {
  return tables_internal::Invalid(Concat("Duplicate element in SearchSchema: ", attribute));
}
inline std::string VectorAttributeIsKey(std::string_view attribute) {
  return tables_internal::Invalid(
      Concat("The vector attribute ", attribute, " must be no key and no SearchSchema attribute"));
}
inline std::string VectorIndexUpdateEmpty() {
  return tables_internal::Invalid(
      "One of VectorIndexUpdate.Create, VectorIndexUpdate.Delete must not be null");
}
inline std::string VectorIndexUpdateOfTwoActions() {
  return tables_internal::Invalid(
      "Only one vector index action is allowed per VectorIndexUpdate object");
}
inline std::string NotAVectorIndex(std::string_view index) {
  return Concat("Cannot delete an index that is not a VectorIndex: ", index);
}

// --- Items ---

// What is wrong with the parameter of a vector index; the full stops are the service's.
namespace vectors_internal {
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
// Of an attribute that is no list.
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

// --- Reading ---

// `operation`: "Query" or "Scan".
inline std::string NotSupportedOnVectorIndex(std::string_view operation) {
  return Concat(operation, " operation not supported on this index type.");
}
inline std::string VectorIndexIsBackfilling(std::string_view index) {
  return Concat("Cannot search backfilling vector index: ", index);
}
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

// --- The front end of SearchVectors (api/facts/wire.md §8) ---

namespace vectors_internal {
inline std::string At(size_t line, size_t column) {
  return Concat(" at line ", line, " column ", column);
}
}  // namespace vectors_internal

// `found`: "null", "integer `5`"; `expected`: "a string".
inline std::string InvalidJsonType(std::string_view found, std::string_view expected, size_t line,
                                   size_t column) {
  return Concat("invalid type: ", found, ", expected ", expected,
                vectors_internal::At(line, column));
}
inline std::string InvalidJsonValue(std::string_view found, std::string_view expected, size_t line,
                                    size_t column) {
  return Concat("invalid value: ", found, ", expected ", expected,
                vectors_internal::At(line, column));
}
inline std::string UnknownJsonVariant(std::string_view word,
                                      const std::vector<std::string_view>& words, size_t line,
                                      size_t column) {
  std::string list;
  for (const std::string_view known : words) {
    list.append(Concat(list.empty() ? "" : ", ", "`", known, "`"));
  }
  return Concat("unknown variant `", word, "`, expected one of ", list,
                vectors_internal::At(line, column));
}
inline std::string MissingJsonField(std::string_view field, size_t line, size_t column) {
  return Concat("missing field `", field, "`", vectors_internal::At(line, column));
}

inline std::string VectorEntryDamaged(std::string_view index) {
  return Concat("The index ", index, " has a damaged entry: its vector cannot be understood");
}

// --- Graphs over vector indexes, which no client sees ---

inline std::string VectorGraphFailed(std::string_view reason) {
  return Concat("The graph over a vector index failed: ", reason);
}
inline std::string VectorGraphTooLarge(std::string_view index, size_t bytes_max) {
  return Concat("The graph over vector index ", index, " does not fit into what is left of ",
                bytes_max, " bytes for graphs: searches compare every vector");
}
inline std::string VectorGraphOverrun(std::string_view index) {
  return Concat("The graph over vector index ", index,
                " could not follow its writes: searches compare every vector");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_VECTORS_H_
