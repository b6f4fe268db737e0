#include "api/json/read_pages.h"

#include "api/json/members.h"
#include "api/json/request_parts.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

constexpr std::pair<std::string_view, Select> kSelect[] = {
    {"ALL_ATTRIBUTES", Select::kAllAttributes},
    {"ALL_PROJECTED_ATTRIBUTES", Select::kAllProjectedAttributes},
    {"SPECIFIC_ATTRIBUTES", Select::kSpecificAttributes},
    {"COUNT", Select::kCount}};

}  // namespace

absl::Status ReadRequest(const Fields& fields, QueryRequest* request) {
  namespace in = members::QueryInput;
  DYNOLITH_RETURN_IF_ERROR(ReadTableName(fields.Text(in::kTableName), &request->table_name));
  ValueReader values(ValueLayer::kCurrent);
  absl::Status* const fault = &request->faults.values;
  request->index_name = fields.String(in::kIndexName);
  request->select = ReadEnum(fields, in::kSelect, absl::MakeConstSpan(kSelect));
  request->attributes_to_get = ReadStrings(fields, in::kAttributesToGet);
  request->limit = fields.Integer(in::kLimit);
  request->consistent_read = fields.Boolean(in::kConsistentRead).value_or(false);
  request->exclusive_start_key = ReadStartKey(fields, in::kExclusiveStartKey, &values, fault);
  request->key_conditions = ReadConditions(fields, in::kKeyConditions, &values, fault);
  request->query_filter = ReadConditions(fields, in::kQueryFilter, &values, fault);
  request->conditional_operator =
      ReadEnum(fields, in::kConditionalOperator, ConditionalOperatorWords());
  request->scan_index_forward = fields.Boolean(in::kScanIndexForward).value_or(true);
  request->return_consumed_capacity = ReadEnum(fields, in::kReturnConsumedCapacity, CapacityWords())
                                          .value_or(ReturnConsumedCapacity::kNone);
  request->projection_expression = fields.String(in::kProjectionExpression);
  request->filter_expression = fields.String(in::kFilterExpression);
  request->key_condition_expression = fields.String(in::kKeyConditionExpression);
  request->expression_attribute_names = ReadNames(fields, in::kExpressionAttributeNames);
  request->expression_attribute_values = ReadExpressionValues(
      fields, in::kExpressionAttributeValues, &values, &request->faults.expression_values);
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, ScanRequest* request) {
  namespace in = members::ScanInput;
  DYNOLITH_RETURN_IF_ERROR(ReadTableName(fields.Text(in::kTableName), &request->table_name));
  ValueReader values(ValueLayer::kOlder);
  absl::Status* const fault = &request->faults.values;
  request->index_name = fields.String(in::kIndexName);
  request->attributes_to_get = ReadStrings(fields, in::kAttributesToGet);
  request->limit = fields.Integer(in::kLimit);
  request->select = ReadEnum(fields, in::kSelect, absl::MakeConstSpan(kSelect));
  request->exclusive_start_key = ReadStartKey(fields, in::kExclusiveStartKey, &values, fault);
  request->scan_filter = ReadConditions(fields, in::kScanFilter, &values, fault);
  request->conditional_operator =
      ReadEnum(fields, in::kConditionalOperator, ConditionalOperatorWords());
  request->return_consumed_capacity = ReadEnum(fields, in::kReturnConsumedCapacity, CapacityWords())
                                          .value_or(ReturnConsumedCapacity::kNone);
  request->total_segments = fields.Integer(in::kTotalSegments);
  request->segment = fields.Integer(in::kSegment);
  request->projection_expression = fields.String(in::kProjectionExpression);
  request->filter_expression = fields.String(in::kFilterExpression);
  request->expression_attribute_names = ReadNames(fields, in::kExpressionAttributeNames);
  request->expression_attribute_values = ReadExpressionValues(
      fields, in::kExpressionAttributeValues, &values, &request->faults.expression_values);
  request->consistent_read = fields.Boolean(in::kConsistentRead).value_or(false);
  return absl::OkStatus();
}

}  // namespace dynolith
