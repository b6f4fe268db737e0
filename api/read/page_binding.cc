#include "api/read/page_binding.h"

#include <utility>

#include "api/read/messages.h"
#include "engine/base/errors.h"
#include "engine/expr/messages.h"

namespace dynolith {

absl::Status CheckSelect(std::optional<Select> select, const SelectContext& beside,
                         PageOperation operation) {
  if (!select) return absl::OkStatus();
  // The two operations' wordings differ.
  const bool is_query = operation == PageOperation::kQuery;
  const auto reported = [is_query](std::string_view message) {
    const absl::Status status = ValidationError(message);
    return is_query ? Enveloped(status) : status;
  };
  const bool has_projection = beside.attributes_to_get || beside.projection_expression;
  const std::string_view parameter =
      beside.projection_expression ? "ProjectionExpression" : "AttributesToGet";
  switch (*select) {
    case Select::kSpecificAttributes:
      if (!has_projection) return reported(messages::SpecificAttributesWithoutProjection());
      return absl::OkStatus();
    case Select::kAllAttributes:
      if (has_projection) {
        return reported(messages::ProjectionWithSelect(parameter, "ALL_ATTRIBUTES"));
      }
      return absl::OkStatus();
    case Select::kAllProjectedAttributes:
      if (has_projection) {
        return reported(messages::ProjectionWithSelect(parameter, "ALL_PROJECTED_ATTRIBUTES"));
      }
      if (!beside.index) return reported(messages::AllProjectedWithoutIndex());
      return absl::OkStatus();
    case Select::kCount:
      if (has_projection) {
        return reported(messages::ProjectionWithSelect(parameter, "only the Count"));
      }
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::Status LowerProjectionAndFilter(
    const std::optional<std::vector<std::string>>& attributes_to_get,
    const std::optional<AttributeMap<LegacyCondition>>& conditions,
    std::optional<ConditionalOperator> conditional_operator, PageExpressions* parsed) {
  DYNOLITH_RETURN_IF_ERROR(LowerRequestAttributesToGet(attributes_to_get, &parsed->projection));
  const size_t count = conditions ? conditions->size() : 0;
  DYNOLITH_RETURN_IF_ERROR(CheckConditionalOperator(conditional_operator, count));
  if (count == 0) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(
      parsed->filter,
      LowerFilter(*conditions, conditional_operator.value_or(ConditionalOperator::kAnd)));
  return absl::OkStatus();
}

absl::Status ParseFilterAndProjection(const std::optional<std::string>& filter_expression,
                                      const std::optional<std::string>& projection_expression,
                                      PageExpressions* parsed) {
  if (filter_expression) {
    DYNOLITH_ASSIGN_OR_RETURN(
        parsed->filter,
        Condition::Parse(*filter_expression, ExpressionKind::kFilter, &parsed->placeholders));
  }
  DYNOLITH_RETURN_IF_ERROR(
      ParseRequestProjection(projection_expression, &parsed->placeholders, &parsed->projection));
  return parsed->placeholders.CheckAllUsed();
}

absl::Status ParseKeyedExpressions(const std::optional<std::string>& key_condition_expression,
                                   const std::optional<std::string>& filter_expression,
                                   const std::optional<std::string>& projection_expression,
                                   const ValueViolations& violations, KeyedExpressions* parsed) {
  DYNOLITH_RETURN_IF_ERROR(CheckPlaceholders(parsed->placeholders, violations));
  absl::Status many_names;
  if (key_condition_expression) {
    absl::StatusOr<ParsedKeyCondition> condition =
        ParsedKeyCondition::Parse(*key_condition_expression, &parsed->placeholders);
    if (condition.ok()) {
      parsed->key_condition = *std::move(condition);
    } else if (MessageOf(condition.status()) == messages::KeyConditionManyNames()) {
      many_names = condition.status();
    } else {
      return condition.status();
    }
  }
  DYNOLITH_RETURN_IF_ERROR(
      ParseFilterAndProjection(filter_expression, projection_expression, parsed));
  return many_names;
}

absl::StatusOr<PagePlan> BeginPlan(const TableMeta& meta,
                                   const std::optional<std::string>& index_name,
                                   bool consistent_read, const std::optional<Item>& start_key,
                                   PageOperation operation) {
  const std::string_view name = operation == PageOperation::kQuery ? "Query" : "Scan";
  DYNOLITH_ASSIGN_OR_RETURN(const IndexSchema* const index,
                            FindIndex(meta, index_name, consistent_read, name));
  PagePlan plan(meta, index);
  plan.mode = consistent_read ? ReadMode::kStrong : ReadMode::kEventual;
  plan.is_scan = operation == PageOperation::kScan;
  if (start_key) {
    DYNOLITH_RETURN_IF_ERROR(CheckStartKey(plan.source, start_key->view(), operation));
    StartAfter(start_key->view(), &plan);
  }
  return plan;
}

absl::Status BindProjectionAndFilter(PageExpressions* parsed,
                                     absl::FunctionRef<absl::Status(const Path&)> check_filter_path,
                                     PagePlan* plan) {
  plan->projection = std::move(parsed->projection);
  DYNOLITH_RETURN_IF_ERROR(
      CheckKeyPaths(plan->projection, plan->source.schema().key, plan->source.indexes()));
  plan->filter = PointerTo(parsed->filter);
  absl::Status status;
  if (plan->filter != nullptr) {
    plan->filter->ForEachPath([&](const Path& path) {
      if (status.ok()) status = check_filter_path(path);
    });
  }
  return status;
}

}  // namespace dynolith
