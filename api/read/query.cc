#include "api/read/query.h"

#include "api/read/page.h"
#include "api/read/projection_request.h"
#include "api/read/start_key.h"
#include "api/request/key_checks.h"
#include "api/request/request_checks.h"
#include "api/table/table_gate.h"
#include "engine/base/errors.h"
#include "engine/base/messages/expressions.h"
#include "engine/base/messages/items.h"
#include "engine/base/messages/values.h"
#include "engine/base/status_macros.h"
#include "engine/expr/legacy.h"
#include "engine/expr/literal_text.h"

namespace dynolith {
namespace {

// The parsed request.
struct QueryExpressions {
  explicit QueryExpressions(const QueryRequest& request)
      : placeholders(PointerTo(request.expression_attribute_names),
                     PointerTo(request.expression_attribute_values)) {}

  Placeholders placeholders;
  std::optional<ParsedKeyCondition> key_condition;
  std::optional<Condition> filter;
  std::optional<Projection> projection;
};

absl::Status CheckParametersOf(const QueryRequest& request) {
  const bool has_key_expression = request.key_condition_expression.has_value();
  // KeyConditions may stand beside the other expressions.
  const bool other_plain =
      request.attributes_to_get || request.query_filter || request.conditional_operator;
  const Parameters values = {{"FilterExpression", request.filter_expression.has_value()},
                             {"KeyConditionExpression", has_key_expression}};
  return CheckParameters(
      {{"AttributesToGet", request.attributes_to_get.has_value()},
       {"QueryFilter", request.query_filter.has_value()},
       {"ConditionalOperator", request.conditional_operator.has_value()},
       {"KeyConditions", request.key_conditions && (has_key_expression || other_plain)}},
      {{"ProjectionExpression", request.projection_expression.has_value()},
       {"FilterExpression", request.filter_expression.has_value()},
       {"KeyConditionExpression", has_key_expression}},
      values, request.expression_attribute_names.has_value(),
      request.expression_attribute_values.has_value(), Wording::kCurrent);
}

absl::Status LowerLegacy(const QueryRequest& request, QueryExpressions* parsed) {
  DYNOLITH_RETURN_IF_ERROR(LowerAttributesToGetOf(request.attributes_to_get, &parsed->projection));
  const size_t conditions = request.query_filter ? request.query_filter->size() : 0;
  DYNOLITH_RETURN_IF_ERROR(CheckConditionalOperator(request.conditional_operator, conditions));
  if (conditions > 0) {
    DYNOLITH_ASSIGN_OR_RETURN(
        parsed->filter, LowerFilter(*request.query_filter, request.conditional_operator.value_or(
                                                               ConditionalOperator::kAnd)));
  }
  if (request.key_conditions && !request.key_condition_expression) {
    DYNOLITH_ASSIGN_OR_RETURN(parsed->key_condition, LowerKeyConditions(*request.key_conditions));
  }
  return absl::OkStatus();
}

absl::Status ParseExpressions(const QueryRequest& request, QueryExpressions* parsed) {
  DYNOLITH_RETURN_IF_ERROR(CheckPlaceholders(parsed->placeholders, request.faults));
  if (request.key_condition_expression) {
    DYNOLITH_ASSIGN_OR_RETURN(
        parsed->key_condition,
        ParsedKeyCondition::Parse(*request.key_condition_expression, &parsed->placeholders));
  }
  if (request.filter_expression) {
    DYNOLITH_ASSIGN_OR_RETURN(parsed->filter,
                              Condition::Parse(*request.filter_expression, ExpressionKind::kFilter,
                                               &parsed->placeholders));
  }
  DYNOLITH_RETURN_IF_ERROR(
      ParseProjectionOf(request.projection_expression, &parsed->placeholders, &parsed->projection));
  return parsed->placeholders.CheckAllUsed();
}

// Everything that can be said without the table.
absl::Status CheckRequest(const QueryRequest& request, QueryExpressions* parsed) {
  DYNOLITH_RETURN_IF_ERROR(CheckParametersOf(request));
  if (request.limit && *request.limit < 1) return ValidationError(messages::LimitTooSmall());
  DYNOLITH_RETURN_IF_ERROR(CheckSelect(request.select, request.index_name.has_value(),
                                       request.attributes_to_get.has_value(),
                                       request.projection_expression.has_value(), /*query=*/true));
  DYNOLITH_RETURN_IF_ERROR(request.faults.values);
  DYNOLITH_RETURN_IF_ERROR(LowerLegacy(request, parsed));
  if (!request.key_conditions && !request.key_condition_expression) {
    return ValidationError(messages::KeyConditionRequired());
  }
  return ParseExpressions(request, parsed);
}

// Whether the start key could be an answer to the condition (facts/operations.md, Query).
absl::Status CheckStartKeyPosition(const KeySchema& key, const KeyCondition& condition,
                                   const PagePlan& plan, ItemView start_key) {
  for (size_t i = 0; i < key.hash.size(); ++i) {
    const ValueView value = *start_key.Find(key.hash[i].name);
    if (value == condition.hash_equals[i]) continue;
    if (plan.source.index() == nullptr && key.range.empty()) {
      return ValidationError(
          messages::StartKeyOfHashOnlyTable(key.hash[i].name, LiteralText(value)));
    }
    const bool sort_key_fixed =
        condition.range_operator == RangeOperator::kNone && !condition.range_equals.empty();
    const bool sort_key_matches =
        sort_key_fixed && *start_key.Find(key.range[0].name) == condition.range_equals[0];
    return ValidationError(sort_key_matches ? messages::QueryCannotRestart()
                                            : messages::StartKeyOutsideQuery());
  }
  if (*plan.start_after < plan.range.begin || *plan.start_after >= plan.range.end) {
    return ValidationError(messages::StartKeyOutsideRange());
  }
  return absl::OkStatus();
}

absl::Status CheckFilterPaths(const QueryRequest& request, const TableSchema& schema,
                              const KeySchema& key, const KeySchema* index_key,
                              const Condition* filter) {
  if (filter == nullptr) return absl::OkStatus();
  absl::Status status;
  filter->ForEachPath([&](const Path& path) {
    if (!status.ok()) return;
    if (key.Contains(path.attribute())) {
      status =
          ValidationError(request.query_filter ? messages::QueryFilterOnKey(path.attribute())
                                               : messages::FilterExpressionOnKey(path.attribute()));
    } else {
      status = CheckKeyPath(path, schema.key, index_key);
    }
  });
  return status;
}

}  // namespace

absl::StatusOr<PageOutput> Query(const OperationContext& context, const QueryRequest& request,
                                 ItemSink sink) {
  QueryExpressions parsed(request);
  DYNOLITH_RETURN_IF_ERROR(CheckRequest(request, &parsed));
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindUsableTable(context, request.table_name));
  const std::shared_ptr<const TableMeta> meta = table->meta();
  const TableSchema& schema = meta->schema;

  DYNOLITH_ASSIGN_OR_RETURN(const IndexSchema* const index,
                            FindIndex(*meta, request.index_name, request.consistent_read, "Query"));
  PagePlan plan(*meta, index);
  const ItemView start_key =
      request.exclusive_start_key ? request.exclusive_start_key->view() : ItemView();
  if (request.exclusive_start_key) {
    DYNOLITH_RETURN_IF_ERROR(CheckStartKey(plan.source, start_key, PageOperation::kQuery));
    plan.start_after = plan.source.RowKeyOf(start_key);
  }
  const KeySchema& key = plan.source.key();
  const KeySchema* const index_key = plan.source.index_key();
  DYNOLITH_ASSIGN_OR_RETURN(const KeyCondition condition, parsed.key_condition->Bind(key));
  plan.range = plan.source.RangeOf(condition);
  if (plan.start_after) {
    DYNOLITH_RETURN_IF_ERROR(CheckStartKeyPosition(key, condition, plan, start_key));
  }
  plan.projection = std::move(parsed.projection);
  DYNOLITH_RETURN_IF_ERROR(CheckKeyPaths(plan.projection, schema.key, index_key));
  plan.filter = PointerTo(parsed.filter);
  DYNOLITH_RETURN_IF_ERROR(CheckFilterPaths(request, schema, key, index_key, plan.filter));
  DYNOLITH_RETURN_IF_ERROR(CheckFilterProjected(plan.source, plan.filter));
  DYNOLITH_RETURN_IF_ERROR(BindSelection(request.select, &plan));
  plan.direction = request.scan_index_forward ? Direction::kForward : Direction::kBackward;
  plan.limit = request.limit;
  plan.mode = request.consistent_read ? ReadMode::kStrong : ReadMode::kEventual;
  return RunPage(context, plan, request.table_name, request.return_consumed_capacity, sink);
}

}  // namespace dynolith
