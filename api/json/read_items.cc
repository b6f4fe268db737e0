#include "api/json/read_items.h"

#include "api/json/members.h"
#include "api/json/request_parts.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

// Where the members that all three writes have stand in each.
struct WriteMembers {
  int expected;
  int conditional_operator;
  int return_values;
  int return_consumed_capacity;
  int return_item_collection_metrics;
  int condition_expression;
  int names;
  int values;
  int return_values_on_failure;
};

template <typename Request>
void ReadWriteParts(const Fields& fields, const WriteMembers& in, ValueReader* values,
                    Request* request) {
  request->expected = ReadExpected(fields, in.expected, values);
  request->conditional_operator =
      ReadEnum(fields, in.conditional_operator, ConditionalOperatorWords());
  request->return_values =
      ReadEnum(fields, in.return_values, ReturnValuesWords()).value_or(ReturnValues::kNone);
  request->return_consumed_capacity = ReadEnum(fields, in.return_consumed_capacity, CapacityWords())
                                          .value_or(ReturnConsumedCapacity::kNone);
  request->return_item_collection_metrics =
      ReadEnum(fields, in.return_item_collection_metrics, MetricsWords())
          .value_or(ReturnItemCollectionMetrics::kNone);
  request->condition_expression = fields.String(in.condition_expression);
  request->expression_attribute_names = ReadNames(fields, in.names);
  request->expression_attribute_values =
      ReadExpressionValues(fields, in.values, values, &request->faults.expression_values);
  request->return_values_on_condition_check_failure =
      ReadEnum(fields, in.return_values_on_failure, FailureWords())
          .value_or(ReturnValuesOnConditionCheckFailure::kNone);
}

std::optional<AttributeMap<AttributeValueUpdate>> ReadUpdates(const Fields& fields,
                                                              ValueReader* values,
                                                              absl::Status* fault) {
  namespace in = members::AttributeValueUpdate;
  constexpr std::pair<std::string_view, AttributeAction> kActions[] = {
      {"ADD", AttributeAction::kAdd},
      {"PUT", AttributeAction::kPut},
      {"DELETE", AttributeAction::kDelete}};
  const JsonValue* map = fields.Find(members::UpdateItemInput::kAttributeUpdates);
  if (map == nullptr) return std::nullopt;
  AttributeMap<AttributeValueUpdate> updates;
  for (const auto field : ObjectOf(*map)) {
    const Fields entry(in::kShape, field.value);
    AttributeValueUpdate& update = updates.emplace_back(field.key, AttributeValueUpdate()).second;
    if (entry.Has(in::kValue)) update.value = values->ReadValue(*entry.Find(in::kValue), fault);
    update.action = ReadEnum(entry, in::kAction, absl::MakeConstSpan(kActions));
  }
  return updates;
}

}  // namespace

absl::Status ReadRequest(const Fields& fields, PutItemRequest* request) {
  namespace in = members::PutItemInput;
  DYNOLITH_RETURN_IF_ERROR(ReadTableName(fields.Text(in::kTableName), &request->table_name));
  ValueReader values(ValueLayer::kCurrent);
  request->item = ReadKey(fields, in::kItem, &values, &request->faults.values);
  ReadWriteParts(fields,
                 {.expected = in::kExpected,
                  .conditional_operator = in::kConditionalOperator,
                  .return_values = in::kReturnValues,
                  .return_consumed_capacity = in::kReturnConsumedCapacity,
                  .return_item_collection_metrics = in::kReturnItemCollectionMetrics,
                  .condition_expression = in::kConditionExpression,
                  .names = in::kExpressionAttributeNames,
                  .values = in::kExpressionAttributeValues,
                  .return_values_on_failure = in::kReturnValuesOnConditionCheckFailure},
                 &values, request);
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, DeleteItemRequest* request) {
  namespace in = members::DeleteItemInput;
  DYNOLITH_RETURN_IF_ERROR(ReadTableName(fields.Text(in::kTableName), &request->table_name));
  ValueReader values(ValueLayer::kCurrent);
  request->key = ReadKey(fields, in::kKey, &values, &request->faults.values);
  ReadWriteParts(fields,
                 {.expected = in::kExpected,
                  .conditional_operator = in::kConditionalOperator,
                  .return_values = in::kReturnValues,
                  .return_consumed_capacity = in::kReturnConsumedCapacity,
                  .return_item_collection_metrics = in::kReturnItemCollectionMetrics,
                  .condition_expression = in::kConditionExpression,
                  .names = in::kExpressionAttributeNames,
                  .values = in::kExpressionAttributeValues,
                  .return_values_on_failure = in::kReturnValuesOnConditionCheckFailure},
                 &values, request);
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, UpdateItemRequest* request) {
  namespace in = members::UpdateItemInput;
  DYNOLITH_RETURN_IF_ERROR(ReadTableName(fields.Text(in::kTableName), &request->table_name));
  ValueReader values(ValueLayer::kCurrent);
  request->key = ReadKey(fields, in::kKey, &values, &request->faults.values);
  request->attribute_updates = ReadUpdates(fields, &values, &request->faults.values);
  request->update_expression = fields.String(in::kUpdateExpression);
  ReadWriteParts(fields,
                 {.expected = in::kExpected,
                  .conditional_operator = in::kConditionalOperator,
                  .return_values = in::kReturnValues,
                  .return_consumed_capacity = in::kReturnConsumedCapacity,
                  .return_item_collection_metrics = in::kReturnItemCollectionMetrics,
                  .condition_expression = in::kConditionExpression,
                  .names = in::kExpressionAttributeNames,
                  .values = in::kExpressionAttributeValues,
                  .return_values_on_failure = in::kReturnValuesOnConditionCheckFailure},
                 &values, request);
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, GetItemRequest* request) {
  namespace in = members::GetItemInput;
  DYNOLITH_RETURN_IF_ERROR(ReadTableName(fields.Text(in::kTableName), &request->table_name));
  ValueReader values(ValueLayer::kCurrent);
  request->key = ReadKey(fields, in::kKey, &values, &request->faults.values);
  request->attributes_to_get = ReadStrings(fields, in::kAttributesToGet);
  request->consistent_read = fields.Boolean(in::kConsistentRead).value_or(false);
  request->return_consumed_capacity = ReadEnum(fields, in::kReturnConsumedCapacity, CapacityWords())
                                          .value_or(ReturnConsumedCapacity::kNone);
  request->projection_expression = fields.String(in::kProjectionExpression);
  request->expression_attribute_names = ReadNames(fields, in::kExpressionAttributeNames);
  return absl::OkStatus();
}

}  // namespace dynolith
