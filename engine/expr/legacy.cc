#include "engine/expr/legacy.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "absl/types/span.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/expr/messages.h"
#include "engine/value/messages.h"

namespace dynolith {
namespace {

// Which argument types a comparison operator takes.
enum class ArgumentTypes : uint8_t { kNone, kAny, kScalar, kText };

struct Comparison {
  ComparisonOperator comparison;
  std::string_view name;
  StepKind test;
  bool negated;
  size_t arguments;  // of IN: at least
  ArgumentTypes types;
  std::optional<RangeOperator> range;  // nullopt: no index can serve it
};

constexpr Comparison kComparisons[] = {
    {ComparisonOperator::kIn, "IN", StepKind::kIn, false, 1, ArgumentTypes::kScalar, std::nullopt},
    {ComparisonOperator::kNull, "NULL", StepKind::kAttributeNotExists, false, 0,
     ArgumentTypes::kNone, std::nullopt},
    {ComparisonOperator::kBetween, "BETWEEN", StepKind::kBetween, false, 2, ArgumentTypes::kScalar,
     RangeOperator::kBetween},
    {ComparisonOperator::kLt, "LT", StepKind::kLess, false, 1, ArgumentTypes::kScalar,
     RangeOperator::kLess},
    {ComparisonOperator::kNotContains, "NOT_CONTAINS", StepKind::kContains, true, 1,
     ArgumentTypes::kScalar, std::nullopt},
    {ComparisonOperator::kEq, "EQ", StepKind::kEqual, false, 1, ArgumentTypes::kAny,
     RangeOperator::kEqual},
    {ComparisonOperator::kGt, "GT", StepKind::kGreater, false, 1, ArgumentTypes::kScalar,
     RangeOperator::kGreater},
    {ComparisonOperator::kNotNull, "NOT_NULL", StepKind::kAttributeExists, false, 0,
     ArgumentTypes::kNone, std::nullopt},
    {ComparisonOperator::kNe, "NE", StepKind::kNotEqual, false, 1, ArgumentTypes::kAny,
     std::nullopt},
    {ComparisonOperator::kLe, "LE", StepKind::kLessEqual, false, 1, ArgumentTypes::kScalar,
     RangeOperator::kLessEqual},
    {ComparisonOperator::kBeginsWith, "BEGINS_WITH", StepKind::kBeginsWith, false, 1,
     ArgumentTypes::kText, RangeOperator::kBeginsWith},
    {ComparisonOperator::kGe, "GE", StepKind::kGreaterEqual, false, 1, ArgumentTypes::kScalar,
     RangeOperator::kGreaterEqual},
    {ComparisonOperator::kContains, "CONTAINS", StepKind::kContains, false, 1,
     ArgumentTypes::kScalar, std::nullopt},
};

constexpr bool StandInOrder() {
  size_t i = 0;
  for (const Comparison& row : kComparisons) {
    if (static_cast<size_t>(row.comparison) != i++) return false;
  }
  return true;
}
static_assert(StandInOrder());

const Comparison& FindComparison(ComparisonOperator comparison) {
  return kComparisons[static_cast<size_t>(comparison)];
}

using Arguments = absl::Span<const Value>;

Arguments ToArguments(const std::optional<std::vector<Value>>& list) {
  return list ? Arguments(*list) : Arguments();
}

bool Takes(ArgumentTypes types, Type type) {
  switch (types) {
    case ArgumentTypes::kNone:
      return false;
    case ArgumentTypes::kAny:
      return true;
    case ArgumentTypes::kScalar:
      return IsOrdered(type);
    case ArgumentTypes::kText:
      return type == Type::kString || type == Type::kBinary;
  }
  return false;
}

// Number, types, sameness, order of the bounds (api/facts/expressions.md §9). `value_violation` is
// what is wrong with the arguments themselves, whose types then are not known.
absl::Status CheckArguments(const Comparison& comparison, Arguments arguments,
                            const absl::Status& value_violation = absl::OkStatus()) {
  const bool count_fits = comparison.test == StepKind::kIn
                              ? arguments.size() >= comparison.arguments
                              : arguments.size() == comparison.arguments;
  if (!count_fits) return ValidationError(messages::WrongArgumentCount(comparison.name));
  DYNOLITH_RETURN_IF_ERROR(value_violation);
  for (const Value& argument : arguments) {
    if (Takes(comparison.types, argument.type())) continue;
    return ValidationError(messages::WrongArgumentType(comparison.name, TypeName(argument.type())));
  }
  for (const Value& argument : arguments) {
    if (argument.type() != arguments[0].type()) {
      return ValidationError(messages::ArgumentTypesDiffer());
    }
  }
  const bool reversed = comparison.test == StepKind::kBetween &&
                        arguments[0].view().payload() > arguments[1].view().payload();
  return reversed ? ValidationError(messages::LegacyBetweenReversed()) : absl::OkStatus();
}

// The conditions of one parameter, joined by one ConditionalOperator.
class Lowering {
 public:
  explicit Lowering(ConditionalOperator conditional_operator)
      : join_(conditional_operator == ConditionalOperator::kAnd ? StepKind::kAnd : StepKind::kOr) {}

  void Add(const Comparison& comparison, std::string_view attribute, Arguments arguments) {
    const bool first = ast_.steps.empty();
    const uint32_t join = first ? 0 : ast_.BeginBinary(join_, 0);
    std::vector<Operand> operands = {ast_.PathOperand(Path(attribute))};
    for (const Value& argument : arguments) operands.push_back(ast_.ValueOperand(argument.view()));
    if (comparison.negated) {
      AddNegated(comparison.test, operands);
    } else {
      ast_.AddTest(comparison.test, operands);
    }
    if (!first) ast_.EndBinary(join);
  }

  Condition Finish() { return Condition::FromAst(std::move(ast_)); }

 private:
  // The negation of a test also requires that the attribute exists.
  void AddNegated(StepKind test, const std::vector<Operand>& operands) {
    const auto left = static_cast<uint32_t>(ast_.steps.size());
    ast_.AddTest(StepKind::kAttributeExists, {operands[0]});
    const uint32_t conjunction = ast_.BeginBinary(StepKind::kAnd, left);
    const auto right = static_cast<uint32_t>(ast_.steps.size());
    ast_.AddTest(test, operands);
    ast_.AddNot(right);
    ast_.EndBinary(conjunction);
  }

  StepKind join_;
  Ast ast_;
};

// An entry of Expected without ComparisonOperator.
absl::Status CheckExists(std::string_view attribute, const ExpectedAttributeValue& expected,
                         const absl::Status& value_violation) {
  if (expected.attribute_value_list) {
    return ValidationError(messages::ExpectedListWithoutComparison(attribute));
  }
  const bool must_exist = expected.exists.value_or(true);
  if (must_exist && !expected.value) {
    return ValidationError(
        messages::ExpectedValueMissing(expected.exists ? "true" : "null", attribute));
  }
  if (!must_exist && expected.value) {
    return ValidationError(messages::ExpectedValueForbidden(attribute));
  }
  return value_violation;
}

absl::Status CheckName(std::string_view attribute) {
  return attribute.empty() ? ValidationError(messages::EmptyAttributeName()) : absl::OkStatus();
}

absl::Status CheckExpected(std::string_view attribute, const ExpectedAttributeValue& expected,
                           Arguments arguments, const absl::Status& value_violation) {
  if (expected.value && expected.attribute_value_list) {
    return ValidationError(messages::ExpectedValueAndList(attribute));
  }
  if (expected.exists && expected.comparison_operator) {
    return ValidationError(messages::ExpectedExistsAndComparison(attribute));
  }
  if (!expected.comparison_operator) return CheckExists(attribute, expected, value_violation);
  const Comparison& comparison = FindComparison(*expected.comparison_operator);
  const bool has_arguments = expected.value || expected.attribute_value_list;
  if (!has_arguments && comparison.types != ArgumentTypes::kNone) {
    return ValidationError(messages::ExpectedComparisonWithoutValue(comparison.name, attribute));
  }
  return CheckArguments(comparison, arguments, value_violation);
}

absl::Status CheckAttributeUpdate(const AttributeValueUpdate& update, AttributeAction action) {
  if (!update.value) {
    if (action == AttributeAction::kDelete) return absl::OkStatus();
    return ValidationError(messages::OnlyDeleteWithoutValue());
  }
  const Type type = update.value->type();
  if (action == AttributeAction::kDelete && !IsSet(type)) {
    return ValidationError(messages::DeleteNotSupported(TypeName(type)));
  }
  const bool can_be_added = IsSet(type) || type == Type::kNumber || type == Type::kList;
  if (action == AttributeAction::kAdd && !can_be_added) {
    return ValidationError(messages::AddNotSupported(TypeName(type)));
  }
  return absl::OkStatus();
}

void AddAction(std::string_view attribute, const AttributeValueUpdate& update,
               AttributeAction action, UpdateActions* actions) {
  UpdateAction lowered;
  lowered.path = static_cast<uint32_t>(actions->paths.size());
  actions->paths.emplace_back(attribute);
  if (!update.value) {
    lowered.kind = ActionKind::kRemove;
    actions->actions.push_back(lowered);
    return;
  }
  lowered.value = static_cast<uint32_t>(actions->values.size());
  actions->values.push_back(update.value->view());
  if (action == AttributeAction::kPut) {
    lowered.kind = ActionKind::kSet;
    actions->nodes.push_back({UpdateValueKind::kValue, lowered.value});
    lowered.value = static_cast<uint32_t>(actions->nodes.size() - 1);
  } else {
    lowered.kind = action == AttributeAction::kAdd ? ActionKind::kAdd : ActionKind::kDelete;
  }
  actions->actions.push_back(lowered);
}

}  // namespace

absl::StatusOr<Condition> LowerExpected(const AttributeMap<ExpectedAttributeValue>& expected,
                                        ConditionalOperator conditional_operator,
                                        const RequestViolations& violations) {
  Lowering lowering(conditional_operator);
  for (const auto& [attribute, entry] : expected) {
    DYNOLITH_RETURN_IF_ERROR(CheckName(attribute));
    const Arguments arguments =
        entry.value ? Arguments(&*entry.value, 1) : ToArguments(entry.attribute_value_list);
    DYNOLITH_RETURN_IF_ERROR(
        CheckExpected(attribute, entry, arguments, violations.Of(&entry).values));
    const ComparisonOperator implied =
        entry.exists.value_or(true) ? ComparisonOperator::kEq : ComparisonOperator::kNull;
    lowering.Add(FindComparison(entry.comparison_operator.value_or(implied)), attribute, arguments);
  }
  return lowering.Finish();
}

absl::StatusOr<Condition> LowerFilter(const AttributeMap<LegacyCondition>& filter,
                                      ConditionalOperator conditional_operator) {
  Lowering lowering(conditional_operator);
  for (const auto& [attribute, entry] : filter) {
    DYNOLITH_RETURN_IF_ERROR(CheckName(attribute));
    const Comparison& comparison = FindComparison(entry.comparison_operator);
    const Arguments arguments = ToArguments(entry.attribute_value_list);
    DYNOLITH_RETURN_IF_ERROR(CheckArguments(comparison, arguments));
    lowering.Add(comparison, attribute, arguments);
  }
  return lowering.Finish();
}

absl::StatusOr<ParsedKeyCondition> LowerKeyConditions(
    const AttributeMap<LegacyCondition>& conditions) {
  if (conditions.empty()) return ValidationError(messages::LegacyKeyConditionCount());
  std::vector<ParsedKeyCondition::Clause> clauses;
  for (const auto& [attribute, entry] : conditions) {
    DYNOLITH_RETURN_IF_ERROR(CheckName(attribute));
    const Comparison& comparison = FindComparison(entry.comparison_operator);
    const Arguments arguments = ToArguments(entry.attribute_value_list);
    DYNOLITH_RETURN_IF_ERROR(CheckArguments(comparison, arguments));
    // What no index can serve is refused once the key's attributes have been found.
    const RangeOperator range = comparison.range.value_or(RangeOperator::kNone);
    const ValueView low = arguments.empty() ? ValueView::Unchecked({}) : arguments[0].view();
    std::optional<ValueView> high;
    if (arguments.size() == 2) high = arguments[1].view();
    clauses.push_back({attribute, range, low, high});
  }
  return ParsedKeyCondition::FromClauses(std::move(clauses));
}

absl::StatusOr<Update> LowerAttributeUpdates(const AttributeMap<AttributeValueUpdate>& updates) {
  UpdateActions actions;
  actions.legacy = true;
  for (const auto& [attribute, update] : updates) {
    DYNOLITH_RETURN_IF_ERROR(CheckName(attribute));
    const AttributeAction action = update.action.value_or(AttributeAction::kPut);
    DYNOLITH_RETURN_IF_ERROR(CheckAttributeUpdate(update, action));
    AddAction(attribute, update, action, &actions);
  }
  return Update::FromActions(std::move(actions));
}

absl::StatusOr<Projection> LowerAttributesToGet(const std::vector<std::string>& names) {
  std::unordered_set<std::string_view, StringViewHash> seen;
  for (const std::string& name : names) {
    DYNOLITH_RETURN_IF_ERROR(CheckName(name));
    if (!seen.insert(name).second) return ValidationError(messages::DuplicateAttributeToGet(name));
  }
  return Projection::FromTopLevelNames(names);
}

}  // namespace dynolith
