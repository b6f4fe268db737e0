#include "api/request/request_checks.h"

#include <algorithm>
#include <string>

#include "api/request/messages.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

bool AnyPresent(Parameters parameters) {
  return std::any_of(parameters.begin(), parameters.end(),
                     [](const Parameter& parameter) { return parameter.present; });
}

std::string PresentNames(Parameters parameters) {
  std::string names;
  for (const Parameter& parameter : parameters) {
    if (!parameter.present) continue;
    if (!names.empty()) names += ", ";
    names += parameter.name;
  }
  return names;
}

// "FilterExpression is null", "UpdateExpression and ConditionExpression are null".
std::string AllAbsent(Parameters parameters) {
  std::string text;
  for (const Parameter& parameter : parameters) {
    if (!text.empty()) text += " and ";
    text += parameter.name;
  }
  return text + (parameters.size() > 1 ? " are null" : " is null");
}

}  // namespace

absl::Status CheckParameters(Parameters plain, Parameters expressions, Parameters value_expressions,
                             PlaceholdersPresent placeholders, Wording wording) {
  if (AnyPresent(plain) && AnyPresent(expressions)) {
    return ValidationError(
        messages::MixedParameters(PresentNames(plain), PresentNames(expressions)));
  }
  if (placeholders.names && !AnyPresent(expressions)) {
    return ValidationError(messages::NamesWithoutExpression());
  }
  if (placeholders.values && !AnyPresent(value_expressions)) {
    return ValidationError(wording == Wording::kLegacy ? messages::ValuesWithoutExpressionOlder(
                                                             AllAbsent(value_expressions))
                                                       : messages::ValuesWithoutExpression());
  }
  return absl::OkStatus();
}

absl::Status CheckConditionalOperator(
    const std::optional<ConditionalOperator>& conditional_operator, size_t conditions) {
  if (!conditional_operator || conditions > 1) return absl::OkStatus();
  return ValidationError(conditions == 0 ? messages::ConditionalOperatorAlone()
                                         : messages::ConditionalOperatorOfOne());
}

absl::Status CheckPlaceholders(const Placeholders& placeholders,
                               const ValueViolations& violations) {
  DYNOLITH_RETURN_IF_ERROR(placeholders.Check());
  return violations.expression_values;
}

}  // namespace dynolith
