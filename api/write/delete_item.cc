#include "api/write/delete_item.h"

#include "api/request/key_checks.h"
#include "api/table/table_gate.h"
#include "api/write/messages.h"
#include "api/write/single_write.h"
#include "api/write/write_expressions.h"

namespace dynolith {
namespace {

// Everything that can be said without the table.
absl::Status CheckRequest(const OperationContext& context, const DeleteItemRequest& request,
                          WriteExpressions* expressions) {
  DYNOLITH_RETURN_IF_ERROR(
      CheckParameters({{"Expected", request.expected.has_value()}},
                      {{"ConditionExpression", request.condition_expression.has_value()}},
                      {{"ConditionExpression", request.condition_expression.has_value()}},
                      {.names = request.expression_attribute_names.has_value(),
                       .values = request.expression_attribute_values.has_value()},
                      WordingOfSingleWrite(context)));
  DYNOLITH_RETURN_IF_ERROR(context.violations->Of(&request).values);
  if (request.return_values != ReturnValues::kNone &&
      request.return_values != ReturnValues::kAllOld) {
    return ValidationError(messages::ReturnValuesOldOrNone());
  }
  DYNOLITH_RETURN_IF_ERROR(expressions->LowerRequestExpected(request, *context.violations));
  return expressions->Parse(std::nullopt, request.condition_expression,
                            context.violations->Of(&request));
}

}  // namespace

absl::StatusOr<WriteOutput> DeleteItem(const OperationContext& context,
                                       const DeleteItemRequest& request) {
  WriteExpressions expressions(request);
  DYNOLITH_RETURN_IF_ERROR(
      EnvelopedForSingleWrite(context, CheckRequest(context, request, &expressions)));
  TableGates gates;
  DYNOLITH_ASSIGN_OR_RETURN(const size_t position, gates.Add(context, request.table_name));
  DYNOLITH_RETURN_IF_ERROR(gates.Lock());
  const TableMeta& meta = gates.meta(position);
  DYNOLITH_RETURN_IF_ERROR(CheckKey(meta.schema.key, request.key.view()));

  const RowWrite write = PlanSingle(request, RowWrite::Kind::kDelete, gates, position,
                                    request.key.view(), expressions);
  return ExecuteSingle(context, request, write, &gates, [&request](const RowOutcome& outcome) {
    return ReturnedOldItem(request, outcome);
  });
}

}  // namespace dynolith
