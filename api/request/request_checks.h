// The checks of a request that need no table, in the service's order (api/facts/expressions.md §8):
// parameters that exclude each other, placeholders, then the expressions themselves.
#ifndef DYNOLITH_API_REQUEST_REQUEST_CHECKS_H_
#define DYNOLITH_API_REQUEST_REQUEST_CHECKS_H_

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "dynolith/requests.h"
#include "engine/expr/expression.h"
#include "engine/expr/legacy.h"
#include "engine/expr/placeholders.h"

namespace dynolith {

// A parameter and whether the request has it.
struct Parameter {
  std::string_view name;
  bool present;
};
using Parameters = std::initializer_list<Parameter>;

// Whether ExpressionAttributeValues names the absent expressions when there is none to use it
// (api/facts/wire.md §9).
enum class Wording : uint8_t { kCurrent, kLegacy };

// Whether the request has ExpressionAttributeNames and ExpressionAttributeValues.
struct PlaceholdersPresent {
  bool names = false;
  bool values = false;
};

// Steps 1 to 3: mixing of `plain` with `expressions`, then names and values without an expression
// to use them. `value_expressions` are those of `expressions` that can hold values.
absl::Status CheckParameters(Parameters plain, Parameters expressions, Parameters value_expressions,
                             PlaceholdersPresent placeholders, Wording wording);

// ConditionalOperator needs at least two conditions of Expected, QueryFilter or ScanFilter to join.
absl::Status CheckConditionalOperator(
    const std::optional<ConditionalOperator>& conditional_operator, size_t conditions);

// The pointer behind an optional, nullptr if it is absent.
template <typename T>
const T* PointerTo(const std::optional<T>& optional) {
  return optional ? &*optional : nullptr;
}

// Steps 5 and 6 for a request: the placeholders' own form, then the values that the wire's reader
// refused.
absl::Status CheckPlaceholders(const Placeholders& placeholders, const ValueViolations& violations);

}  // namespace dynolith

#endif  // DYNOLITH_API_REQUEST_REQUEST_CHECKS_H_
