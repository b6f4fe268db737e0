// The legacy parameters, lowered to the same conditions, updates and projections
// (api/facts/expressions.md §9).
#ifndef DYNOLITH_ENGINE_EXPR_LEGACY_H_
#define DYNOLITH_ENGINE_EXPR_LEGACY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/expr/expression.h"
#include "engine/model/request_violations.h"
#include "engine/model/structures.h"
#include "engine/value/item.h"

namespace dynolith {

// The lowered forms borrow from their arguments. Errors: the service's, in its order. `violations`
// holds those of the entries of Expected.
absl::StatusOr<Condition> LowerExpected(
    const AttributeMap<ExpectedAttributeValue>& expected, ConditionalOperator conditional_operator,
    const RequestViolations& violations = RequestViolations::None());
absl::StatusOr<Condition> LowerFilter(const AttributeMap<LegacyCondition>& filter,
                                      ConditionalOperator conditional_operator);
absl::StatusOr<ParsedKeyCondition> LowerKeyConditions(
    const AttributeMap<LegacyCondition>& conditions);
absl::StatusOr<Update> LowerAttributeUpdates(const AttributeMap<AttributeValueUpdate>& updates);
// Duplicate names are an error.
absl::StatusOr<Projection> LowerAttributesToGet(const std::vector<std::string>& names);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_EXPR_LEGACY_H_
