// The common part of PutItem, UpdateItem, DeleteItem and the actions of a transaction before they
// know their table.
#ifndef DYNOLITH_API_WRITE_WRITE_EXPRESSIONS_H_
#define DYNOLITH_API_WRITE_WRITE_EXPRESSIONS_H_

#include <optional>

#include "absl/status/status.h"
#include "api/request/operation_context.h"
#include "api/request/request_checks.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"

namespace dynolith {

// The form in which PutItem, UpdateItem and DeleteItem report violations of the request itself: in
// the envelope, unless a value of the request makes them use the legacy wording.
inline absl::Status EnvelopedForSingleWrite(const OperationContext& context,
                                            const absl::Status& status) {
  return context.violations->uses_legacy_wording() ? status : Enveloped(status);
}
inline Wording WordingOfSingleWrite(const OperationContext& context) {
  return context.violations->uses_legacy_wording() ? Wording::kLegacy : Wording::kCurrent;
}

// The parsed expressions of one write. Borrows from its request.
class WriteExpressions {
 public:
  template <typename Request>
  explicit WriteExpressions(const Request& request)
      : placeholders_(PointerTo(request.expression_attribute_names),
                      PointerTo(request.expression_attribute_values)) {}

  // Lowers Expected; ConditionalOperator is only valid beside it.
  template <typename Request>
  absl::Status LowerRequestExpected(const Request& request, const RequestViolations& violations) {
    const size_t conditions = request.expected ? request.expected->size() : 0;
    DYNOLITH_RETURN_IF_ERROR(CheckConditionalOperator(request.conditional_operator, conditions));
    if (conditions == 0) return absl::OkStatus();
    DYNOLITH_ASSIGN_OR_RETURN(
        condition_, LowerExpected(*request.expected,
                                  request.conditional_operator.value_or(ConditionalOperator::kAnd),
                                  violations));
    return absl::OkStatus();
  }

  // Lowers AttributeUpdates; a request with neither those nor an UpdateExpression has an update
  // without actions.
  absl::Status LowerRequestUpdates(const UpdateItemRequest& request) {
    if (request.update_expression) return absl::OkStatus();
    static const AttributeMap<AttributeValueUpdate> kNoUpdates;
    DYNOLITH_ASSIGN_OR_RETURN(
        update_,
        LowerAttributeUpdates(request.attribute_updates ? *request.attribute_updates : kNoUpdates));
    return absl::OkStatus();
  }

  // Placeholders, then UpdateExpression and ConditionExpression, then that every placeholder is
  // used.
  absl::Status Parse(const std::optional<std::string>& update_expression,
                     const std::optional<std::string>& condition_expression,
                     const ValueViolations& violations) {
    DYNOLITH_RETURN_IF_ERROR(CheckPlaceholders(placeholders_, violations));
    if (update_expression) {
      DYNOLITH_ASSIGN_OR_RETURN(update_, Update::Parse(*update_expression, &placeholders_));
    }
    if (condition_expression) {
      DYNOLITH_ASSIGN_OR_RETURN(
          condition_,
          Condition::Parse(*condition_expression, ExpressionKind::kCondition, &placeholders_));
    }
    return placeholders_.CheckAllUsed();
  }

  const Condition* condition() const { return PointerTo(condition_); }
  const Update* update() const { return PointerTo(update_); }

 private:
  Placeholders placeholders_;
  std::optional<Condition> condition_;
  std::optional<Update> update_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_WRITE_EXPRESSIONS_H_
