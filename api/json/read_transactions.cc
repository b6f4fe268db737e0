#include "api/json/read_transactions.h"

#include "api/json/members.h"
#include "api/json/request_parts.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

// Where the members of an action stand in its structure.
struct ActionMembers {
  int shape;
  int table_name;
  int item;               // or the key
  int update_expression;  // -1: there is none
  int condition_expression;
  int names;
  int values;
  int return_values_on_failure;
};

namespace check = members::ConditionCheck;
constexpr ActionMembers kConditionCheck = {
    .shape = check::kShape,
    .table_name = check::kTableName,
    .item = check::kKey,
    .update_expression = -1,
    .condition_expression = check::kConditionExpression,
    .names = check::kExpressionAttributeNames,
    .values = check::kExpressionAttributeValues,
    .return_values_on_failure = check::kReturnValuesOnConditionCheckFailure};

namespace put = members::Put;
constexpr ActionMembers kPut = {
    .shape = put::kShape,
    .table_name = put::kTableName,
    .item = put::kItem,
    .update_expression = -1,
    .condition_expression = put::kConditionExpression,
    .names = put::kExpressionAttributeNames,
    .values = put::kExpressionAttributeValues,
    .return_values_on_failure = put::kReturnValuesOnConditionCheckFailure};

namespace erase = members::Delete;
constexpr ActionMembers kDelete = {
    .shape = erase::kShape,
    .table_name = erase::kTableName,
    .item = erase::kKey,
    .update_expression = -1,
    .condition_expression = erase::kConditionExpression,
    .names = erase::kExpressionAttributeNames,
    .values = erase::kExpressionAttributeValues,
    .return_values_on_failure = erase::kReturnValuesOnConditionCheckFailure};

namespace update = members::Update;
constexpr ActionMembers kUpdate = {
    .shape = update::kShape,
    .table_name = update::kTableName,
    .item = update::kKey,
    .update_expression = update::kUpdateExpression,
    .condition_expression = update::kConditionExpression,
    .names = update::kExpressionAttributeNames,
    .values = update::kExpressionAttributeValues,
    .return_values_on_failure = update::kReturnValuesOnConditionCheckFailure};

absl::Status ReadAction(const JsonValue* value, const ActionMembers& in, ValueReader* values,
                        std::optional<TransactAction>* result) {
  if (value == nullptr) return absl::OkStatus();
  const Fields fields(in.shape, *value);
  TransactAction& action = result->emplace();
  DYNOLITH_RETURN_IF_ERROR(ReadTableName(fields.Text(in.table_name), &action.table_name));
  action.item = ReadKey(fields, in.item, values, &action.faults.values);
  if (in.update_expression >= 0) action.update_expression = fields.String(in.update_expression);
  action.condition_expression = fields.String(in.condition_expression);
  action.expression_attribute_names = ReadNames(fields, in.names);
  action.expression_attribute_values =
      ReadExpressionValues(fields, in.values, values, &action.faults.expression_values);
  action.return_values_on_condition_check_failure =
      ReadEnum(fields, in.return_values_on_failure, FailureWords())
          .value_or(ReturnValuesOnConditionCheckFailure::kNone);
  return absl::OkStatus();
}

absl::Status ReadWriteItem(JsonValue value, ValueReader* values, TransactWriteItem* item) {
  namespace in = members::TransactWriteItem;
  const Fields fields(in::kShape, value);
  DYNOLITH_RETURN_IF_ERROR(ReadAction(fields.Find(in::kConditionCheck), kConditionCheck, values,
                                      &item->condition_check));
  DYNOLITH_RETURN_IF_ERROR(ReadAction(fields.Find(in::kPut), kPut, values, &item->put));
  DYNOLITH_RETURN_IF_ERROR(
      ReadAction(fields.Find(in::kDelete), kDelete, values, &item->delete_item));
  return ReadAction(fields.Find(in::kUpdate), kUpdate, values, &item->update);
}

absl::Status ReadGet(JsonValue value, ValueReader* values, TransactGet* get) {
  namespace in = members::Get;
  const Fields item(members::TransactGetItem::kShape, value);
  const Fields fields(in::kShape, *item.Find(members::TransactGetItem::kGet));
  DYNOLITH_RETURN_IF_ERROR(ReadTableName(fields.Text(in::kTableName), &get->table_name));
  get->key = ReadKey(fields, in::kKey, values, &get->faults.values);
  get->projection_expression = fields.String(in::kProjectionExpression);
  get->expression_attribute_names = ReadNames(fields, in::kExpressionAttributeNames);
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadRequest(const Fields& fields, TransactWriteItemsRequest* request) {
  namespace in = members::TransactWriteItemsInput;
  ValueReader values(ValueLayer::kOlder, ValueReader::DeepExpressionValues::kTaken);
  for (const JsonValue item : ArrayOf(*fields.Find(in::kTransactItems))) {
    DYNOLITH_RETURN_IF_ERROR(ReadWriteItem(item, &values, &request->transact_items.emplace_back()));
  }
  request->return_consumed_capacity = ReadEnum(fields, in::kReturnConsumedCapacity, CapacityWords())
                                          .value_or(ReturnConsumedCapacity::kNone);
  request->return_item_collection_metrics =
      ReadEnum(fields, in::kReturnItemCollectionMetrics, MetricsWords())
          .value_or(ReturnItemCollectionMetrics::kNone);
  request->client_request_token = fields.String(in::kClientRequestToken);
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, TransactGetItemsRequest* request) {
  namespace in = members::TransactGetItemsInput;
  ValueReader values(ValueLayer::kOlder);
  for (const JsonValue item : ArrayOf(*fields.Find(in::kTransactItems))) {
    DYNOLITH_RETURN_IF_ERROR(ReadGet(item, &values, &request->transact_items.emplace_back()));
  }
  request->return_consumed_capacity = ReadEnum(fields, in::kReturnConsumedCapacity, CapacityWords())
                                          .value_or(ReturnConsumedCapacity::kNone);
  return absl::OkStatus();
}

}  // namespace dynolith
