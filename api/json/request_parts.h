// Parts that the readers of several operations share: enumerations, names, table names, legacy
// parameters.
#ifndef DYNOLITH_API_JSON_REQUEST_PARTS_H_
#define DYNOLITH_API_JSON_REQUEST_PARTS_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "api/json/fields.h"
#include "api/json/value_reader.h"
#include "dynolith/requests.h"

namespace dynolith {

absl::Span<const std::pair<std::string_view, ReturnValues>> ReturnValuesWords();
absl::Span<const std::pair<std::string_view, ReturnConsumedCapacity>> CapacityWords();
absl::Span<const std::pair<std::string_view, ReturnItemCollectionMetrics>> MetricsWords();
absl::Span<const std::pair<std::string_view, ReturnValuesOnConditionCheckFailure>> FailureWords();
absl::Span<const std::pair<std::string_view, ConditionalOperator>> ConditionalOperatorWords();
absl::Span<const std::pair<std::string_view, ComparisonOperator>> ComparisonWords();

// The member's enumerator; nullopt if absent. Requires: CheckConstraints is OK, and `words` has all
// values of the member's shape.
template <typename Enum>
std::optional<Enum> ReadEnum(const Fields& fields, int member,
                             absl::Span<const std::pair<std::string_view, Enum>> words) {
  if (!fields.Has(member)) return std::nullopt;
  const std::string_view text = fields.Text(member);
  for (const auto& [word, value] : words) {
    if (word == text) return value;
  }
  return std::nullopt;
}

// A table name, or a table's ARN as it is: answers name the table as the request did. Errors: the
// service's for an ARN that is none of a table; whose table it is shows when it is looked for.
absl::Status ReadTableName(std::string_view text, std::string* table_name);

// A list of strings; a map of strings in the order given.
std::optional<std::vector<std::string>> ReadStrings(const Fields& fields, int member);
std::optional<AttributeNames> ReadNames(const Fields& fields, int member);

// Members that hold attribute values. Faults as in ValueReader.
Item ReadKey(const Fields& fields, int member, ValueReader* values, absl::Status* fault);
std::optional<Item> ReadExpressionValues(const Fields& fields, int member, ValueReader* values,
                                         absl::Status* fault);
std::optional<Item> ReadStartKey(const Fields& fields, int member, ValueReader* values,
                                 absl::Status* fault);
std::optional<AttributeMap<ExpectedAttributeValue>> ReadExpected(const Fields& fields, int member,
                                                                 ValueReader* values);
std::optional<AttributeMap<LegacyCondition>> ReadConditions(const Fields& fields, int member,
                                                            ValueReader* values,
                                                            absl::Status* fault);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_REQUEST_PARTS_H_
