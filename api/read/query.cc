#include "api/read/query.h"

#include <algorithm>
#include <utility>

#include "api/read/messages.h"
#include "api/read/page_binding.h"
#include "api/request/request_checks.h"
#include "api/table/table_gate.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/expr/legacy.h"
#include "engine/expr/literal_text.h"
#include "engine/expr/messages.h"

namespace dynolith {
namespace {

absl::Status CheckRequestParameters(const QueryRequest& request) {
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
      values,
      {.names = request.expression_attribute_names.has_value(),
       .values = request.expression_attribute_values.has_value()},
      Wording::kCurrent);
}

// As many entries as the key has attributes, but at least two.
absl::Status CheckKeyConditionCount(const QueryRequest& request, size_t key_size) {
  const bool fits =
      !request.key_conditions || request.key_conditions->size() <= std::max<size_t>(2, key_size);
  return fits ? absl::OkStatus() : ValidationError(messages::LegacyKeyConditionCount());
}

absl::Status LowerLegacy(const QueryRequest& request, KeyedExpressions* parsed) {
  DYNOLITH_RETURN_IF_ERROR(LowerProjectionAndFilter(request.attributes_to_get, request.query_filter,
                                                    request.conditional_operator, parsed));
  if (request.key_conditions && !request.key_condition_expression) {
    // Keys of tables have two attributes at most.
    if (!request.index_name) DYNOLITH_RETURN_IF_ERROR(CheckKeyConditionCount(request, 2));
    DYNOLITH_ASSIGN_OR_RETURN(parsed->key_condition, LowerKeyConditions(*request.key_conditions));
  }
  return absl::OkStatus();
}

// Everything that can be said without the table.
absl::Status CheckRequest(const OperationContext& context, const QueryRequest& request,
                          KeyedExpressions* parsed) {
  DYNOLITH_RETURN_IF_ERROR(CheckRequestParameters(request));
  DYNOLITH_RETURN_IF_ERROR(
      CheckSelect(request.select,
                  {.index = request.index_name.has_value(),
                   .attributes_to_get = request.attributes_to_get.has_value(),
                   .projection_expression = request.projection_expression.has_value()},
                  PageOperation::kQuery));
  DYNOLITH_RETURN_IF_ERROR(context.violations->Of(&request).values);
  DYNOLITH_RETURN_IF_ERROR(LowerLegacy(request, parsed));
  if (!request.key_conditions && !request.key_condition_expression) {
    return ValidationError(messages::KeyConditionRequired());
  }
  return ParseKeyedExpressions(request.key_condition_expression, request.filter_expression,
                               request.projection_expression, context.violations->Of(&request),
                               parsed);
}

// Whether a partition key is a whole key, so that nothing can follow what a query finds.
bool FindsOneItem(const RowSource& source) {
  return source.index() == nullptr && source.key().range.empty();
}

// Whether the start key could be an answer to the condition (api/facts/operations.md §2, Query).
absl::Status CheckStartKeyPosition(const KeySchema& key, const KeyCondition& condition,
                                   const PagePlan& plan, ItemView start_key) {
  if (FindsOneItem(plan.source)) {
    const std::string_view name = key.hash[0].name;
    return ValidationError(
        messages::StartKeyOfHashOnlyTable(name, LiteralText(*start_key.Find(name))));
  }
  for (size_t i = 0; i < key.hash.size(); ++i) {
    const ValueView value = *start_key.Find(key.hash[i].name);
    if (value == condition.hash_equals[i]) continue;
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

// A filter is for what the key condition has let through, so that it may not name the key.
absl::Status CheckFilterPath(const QueryRequest& request, const RowSource& source,
                             const Path& path) {
  const std::string_view name = path.attribute();
  if (!source.key().Contains(name)) {
    return CheckKeyPath(path, source.schema().key, source.indexes());
  }
  return ValidationError(request.query_filter ? messages::QueryFilterOnKey(name)
                                              : messages::FilterExpressionOnKey(name));
}

absl::StatusOr<PageOutput> QueryOnce(const OperationContext& context, const QueryRequest& request,
                                     ItemSink sink) {
  KeyedExpressions parsed(request);
  DYNOLITH_RETURN_IF_ERROR(CheckRequest(context, request, &parsed));
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindUsableTable(context, request.table_name));
  const std::shared_ptr<const TableMeta> meta = table->meta();
  DYNOLITH_ASSIGN_OR_RETURN(PagePlan plan,
                            BeginPlan(*meta, request.index_name, request.consistent_read,
                                      request.exclusive_start_key, PageOperation::kQuery));
  const KeySchema& key = plan.source.key();
  DYNOLITH_RETURN_IF_ERROR(CheckKeyConditionCount(request, key.size()));
  DYNOLITH_ASSIGN_OR_RETURN(const KeyCondition condition, parsed.key_condition->Bind(key));
  plan.range = plan.source.RangeFor(condition);
  if (request.exclusive_start_key) {
    DYNOLITH_RETURN_IF_ERROR(
        CheckStartKeyPosition(key, condition, plan, request.exclusive_start_key->view()));
  }
  const auto check_filter_path = [&](const Path& path) {
    return CheckFilterPath(request, plan.source, path);
  };
  DYNOLITH_RETURN_IF_ERROR(BindProjectionAndFilter(&parsed, check_filter_path, &plan));
  DYNOLITH_RETURN_IF_ERROR(CheckFilterProjected(plan.source, plan.filter));
  DYNOLITH_RETURN_IF_ERROR(BindSelection(request.select, &plan));
  plan.direction = request.scan_index_forward ? Direction::kForward : Direction::kBackward;
  plan.limit = request.limit;
  DYNOLITH_RETURN_IF_ERROR(BindMoment(context, &plan));
  DYNOLITH_ASSIGN_OR_RETURN(PageOutput output, ReadPage(context, plan, request.table_name,
                                                        request.return_consumed_capacity, sink));
  if (FindsOneItem(plan.source)) output.last_evaluated_key.reset();
  return output;
}

}  // namespace

absl::StatusOr<PageOutput> Query(const OperationContext& context, const QueryRequest& request,
                                 ItemSink sink) {
  return ReadWhereItIs([&] { return QueryOnce(context, request, sink); });
}

}  // namespace dynolith
