#include "api/write/update_item.h"

#include "api/request/key_checks.h"
#include "api/table/table_gate.h"
#include "api/write/single_write.h"
#include "api/write/write_expressions.h"

namespace dynolith {
namespace {

// Everything that can be said without the table.
absl::Status CheckRequest(const OperationContext& context, const UpdateItemRequest& request,
                          WriteExpressions* expressions) {
  const Parameters expression_parameters = {
      {"UpdateExpression", request.update_expression.has_value()},
      {"ConditionExpression", request.condition_expression.has_value()}};
  DYNOLITH_RETURN_IF_ERROR(
      CheckParameters({{"AttributeUpdates", request.attribute_updates.has_value()},
                       {"Expected", request.expected.has_value()}},
                      expression_parameters, expression_parameters,
                      {.names = request.expression_attribute_names.has_value(),
                       .values = request.expression_attribute_values.has_value()},
                      WordingOfSingleWrite(context)));
  DYNOLITH_RETURN_IF_ERROR(context.violations->Of(&request).values);
  DYNOLITH_RETURN_IF_ERROR(expressions->LowerRequestUpdates(request));
  DYNOLITH_RETURN_IF_ERROR(expressions->LowerRequestExpected(request, *context.violations));
  return expressions->Parse(request.update_expression, request.condition_expression,
                            context.violations->Of(&request));
}

// What ReturnValues asks for; nullopt when there is nothing to return.
std::optional<Item> ReturnedAttributes(ReturnValues wanted, const Update& update,
                                       const RowOutcome& outcome) {
  std::optional<Item> attributes;
  switch (wanted) {
    case ReturnValues::kNone:
      return std::nullopt;
    case ReturnValues::kAllOld:
      if (outcome.old_item) attributes = Item::Copy(*outcome.old_item);
      break;
    case ReturnValues::kAllNew:
      if (outcome.new_item) attributes = Item::Copy(*outcome.new_item);
      break;
    case ReturnValues::kUpdatedOld:
      if (outcome.old_item) attributes = update.Touched(*outcome.old_item);
      break;
    case ReturnValues::kUpdatedNew:
      if (outcome.new_item) attributes = update.Touched(*outcome.new_item);
      break;
  }
  if (attributes && attributes->empty()) return std::nullopt;
  return attributes;
}

}  // namespace

absl::StatusOr<WriteOutput> UpdateItem(const OperationContext& context,
                                       const UpdateItemRequest& request) {
  WriteExpressions expressions(request);
  DYNOLITH_RETURN_IF_ERROR(
      EnvelopedForSingleWrite(context, CheckRequest(context, request, &expressions)));
  TableGates gates;
  DYNOLITH_ASSIGN_OR_RETURN(const size_t position, gates.Add(context, request.table_name));
  DYNOLITH_RETURN_IF_ERROR(gates.Lock());
  const TableMeta& meta = gates.meta(position);
  DYNOLITH_RETURN_IF_ERROR(CheckKey(meta.schema.key, request.key.view()));
  DYNOLITH_RETURN_IF_ERROR(expressions.update()->CheckAgainst(meta.schema));

  RowWrite write = PlanSingle(request, RowWrite::Kind::kUpdate, gates, position, request.key.view(),
                              expressions);
  write.charges_update = context.charges_updates && request.update_expression.has_value();
  return ExecuteSingle(context, request, write, &gates, [&](const RowOutcome& outcome) {
    return ReturnedAttributes(request.return_values, *write.update, outcome);
  });
}

}  // namespace dynolith
