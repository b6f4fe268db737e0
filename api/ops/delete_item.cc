#include "api/ops/delete_item.h"

#include "api/ops/consumed_capacity.h"
#include "api/ops/key_checks.h"
#include "api/ops/row_write.h"
#include "api/ops/table_gate.h"
#include "api/ops/write_expressions.h"
#include "engine/key/key_codec.h"

namespace dynolith {
namespace {

// Everything that can be said without the table.
absl::Status CheckRequest(const DeleteItemRequest& request, WriteExpressions* expressions) {
  DYNOLITH_RETURN_IF_ERROR(
      CheckParameters({{"Expected", request.expected.has_value()}},
                      {{"ConditionExpression", request.condition_expression.has_value()}},
                      {{"ConditionExpression", request.condition_expression.has_value()}},
                      request.expression_attribute_names.has_value(),
                      request.expression_attribute_values.has_value(), Wording::kCurrent));
  DYNOLITH_RETURN_IF_ERROR(request.faults.values);
  if (request.return_values != ReturnValues::kNone &&
      request.return_values != ReturnValues::kAllOld) {
    return ValidationError(messages::ReturnValuesOldOrNone());
  }
  DYNOLITH_RETURN_IF_ERROR(expressions->LowerExpectedOf(request));
  return expressions->Parse(std::nullopt, request.condition_expression, request.faults);
}

}  // namespace

absl::StatusOr<WriteOutput> DeleteItem(const OperationContext& context,
                                       const DeleteItemRequest& request) {
  WriteExpressions expressions(request);
  DYNOLITH_RETURN_IF_ERROR(Enveloped(CheckRequest(request, &expressions)));
  TableGates gates;
  DYNOLITH_ASSIGN_OR_RETURN(const size_t position, gates.Add(context, request.table_name));
  DYNOLITH_RETURN_IF_ERROR(gates.Lock());
  const TableMeta& meta = gates.meta(position);
  DYNOLITH_RETURN_IF_ERROR(CheckKey(meta.schema.key, request.key.view()));

  RowWrite write;
  write.kind = RowWrite::Kind::kDelete;
  write.table = gates.table(position);
  write.meta = &meta;
  AppendRowKey(meta.schema.id, meta.schema.key, request.key.view(), &write.row_key);
  write.item = request.key.view();
  write.condition = expressions.condition();
  write.wants_old = request.return_values == ReturnValues::kAllOld ||
                    request.return_consumed_capacity != ReturnConsumedCapacity::kNone;
  write.returns_old_on_failure = request.return_values_on_condition_check_failure ==
                                 ReturnValuesOnConditionCheckFailure::kAllOld;
  RowOutcome outcome;
  DYNOLITH_RETURN_IF_ERROR(
      Execute(context, absl::MakeConstSpan(&write, 1), absl::MakeSpan(&outcome, 1)));
  DYNOLITH_RETURN_IF_ERROR(outcome.status);

  WriteOutput output;
  if (request.return_values == ReturnValues::kAllOld && outcome.old_item) {
    output.attributes = Item::Copy(*outcome.old_item);
  }
  CapacityTotal total;
  total.Add(write, outcome);
  output.consumed_capacity = total.Report(request.table_name, request.return_consumed_capacity);
  output.item_collection_metrics =
      MetricsOf(meta.schema, request.return_item_collection_metrics, write.item);
  return output;
}

}  // namespace dynolith
