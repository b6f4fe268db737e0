// ExpressionAttributeNames and ExpressionAttributeValues of one request, and which of them its
// expressions have used.
#ifndef DYNOLITH_ENGINE_EXPR_PLACEHOLDERS_H_
#define DYNOLITH_ENGINE_EXPR_PLACEHOLDERS_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "engine/model/structures.h"
#include "engine/value/item.h"

namespace dynolith {

// The kind of an expression string, by its name in error messages ("ConditionExpression").
enum class ExpressionKind : uint8_t {
  kUpdate,
  kCondition,
  kKeyCondition,
  kFilter,
  kProjection,
  kSearchCondition
};
std::string_view ExpressionName(ExpressionKind kind);

// Borrows the request's names and values; everything parsed with it borrows from them too.
class Placeholders {
 public:
  // nullptr: the request has no such parameter. `values` maps ":v" to a value.
  Placeholders(const AttributeNames* names, const Item* values);

  // "ExpressionAttributeNames must not be empty", bad placeholder keys, the same for values
  // (api/facts/expressions.md §8, steps 5 and 6 except for bad values, which cannot be represented
  // here).
  absl::Status Check() const;

  // The name or value behind a placeholder ("#n", ":v"), marked as used.
  std::optional<std::string_view> UseName(std::string_view placeholder);
  std::optional<ValueView> UseValue(std::string_view placeholder);

  // Step 8: unused names first, then unused values.
  absl::Status CheckAllUsed() const;

 private:
  const AttributeNames* names_;
  const Item* values_;
  // Most requests have few, for which nothing is allocated.
  absl::InlinedVector<bool, 16> used_names_;
  absl::InlinedVector<bool, 16> used_values_;
  absl::InlinedVector<uint32_t, 8> names_by_key_;  // positions in `names_`, sorted by placeholder
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_EXPR_PLACEHOLDERS_H_
