// The parameters from before expressions, lowered onto the same conditions, updates and projections
// (api/facts/expressions.md §9).
#ifndef DYNOLITH_ENGINE_EXPR_LEGACY_H_
#define DYNOLITH_ENGINE_EXPR_LEGACY_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/expr/expression.h"
#include "engine/value/item.h"

namespace dynolith {

enum class ComparisonOperator : uint8_t {
  kEq,
  kNe,
  kIn,
  kLe,
  kLt,
  kGe,
  kGt,
  kBetween,
  kNotNull,
  kNull,
  kContains,
  kNotContains,
  kBeginsWith
};
enum class ConditionalOperator : uint8_t { kAnd, kOr };
enum class AttributeAction : uint8_t { kAdd, kPut, kDelete };

// An entry of Expected.
struct ExpectedAttributeValue {
  std::optional<Value> value;
  std::optional<bool> exists;
  std::optional<ComparisonOperator> comparison_operator;
  std::optional<std::vector<Value>> attribute_value_list;
  // What the wire's reader has found in the values, which are reported after the entry's own rules;
  // OK from C++.
  absl::Status value_fault;
};

// An entry of KeyConditions, QueryFilter or ScanFilter.
struct LegacyCondition {
  ComparisonOperator comparison_operator = ComparisonOperator::kEq;
  std::optional<std::vector<Value>> attribute_value_list;
};

// An entry of AttributeUpdates.
struct AttributeValueUpdate {
  std::optional<Value> value;
  std::optional<AttributeAction> action;  // absent: kPut
};

template <typename Entry>
using AttributeMap =
    std::vector<std::pair<std::string, Entry>>;  // attribute name -> entry, in the order given

// The lowered forms borrow from their arguments. Errors: the service's, in its order.
absl::StatusOr<Condition> LowerExpected(const AttributeMap<ExpectedAttributeValue>& expected,
                                        ConditionalOperator conditional_operator);
absl::StatusOr<Condition> LowerFilter(const AttributeMap<LegacyCondition>& filter,
                                      ConditionalOperator conditional_operator);
absl::StatusOr<ParsedKeyCondition> LowerKeyConditions(
    const AttributeMap<LegacyCondition>& conditions);
absl::StatusOr<Update> LowerAttributeUpdates(const AttributeMap<AttributeValueUpdate>& updates);
// Duplicate names are an error.
absl::StatusOr<Projection> LowerAttributesToGet(const std::vector<std::string>& names);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_EXPR_LEGACY_H_
