#include "api/write/put_item.h"

#include "api/request/key_checks.h"
#include "api/table/table_gate.h"
#include "api/write/messages.h"
#include "api/write/single_write.h"
#include "api/write/write_expressions.h"
#include "engine/base/limits.h"
#include "engine/value/messages.h"

namespace dynolith {
namespace {

// A value that is nested too deeply is reported bare, every other violation in the envelope
// (api/facts/values.md §6).
absl::Status ReportValueViolation(const OperationContext& context, const absl::Status& violation) {
  return MessageOf(violation) == messages::NestingTooDeep()
             ? violation
             : EnvelopedForSingleWrite(context, violation);
}

absl::Status CheckRequestParameters(const OperationContext& context,
                                    const PutItemRequest& request) {
  return CheckParameters({{"Expected", request.expected.has_value()}},
                         {{"ConditionExpression", request.condition_expression.has_value()}},
                         {{"ConditionExpression", request.condition_expression.has_value()}},
                         {.names = request.expression_attribute_names.has_value(),
                          .values = request.expression_attribute_values.has_value()},
                         WordingOfSingleWrite(context));
}

// Everything that can be said without the table.
absl::Status CheckRequest(const OperationContext& context, const PutItemRequest& request,
                          WriteExpressions* expressions) {
  DYNOLITH_RETURN_IF_ERROR(
      EnvelopedForSingleWrite(context, CheckRequestParameters(context, request)));
  DYNOLITH_RETURN_IF_ERROR(ReportValueViolation(context, context.violations->Of(&request).values));
  if (request.return_values != ReturnValues::kNone &&
      request.return_values != ReturnValues::kAllOld) {
    return EnvelopedForSingleWrite(context, ValidationError(messages::ReturnValuesOldOrNone()));
  }
  if (BilledBytes(request.item.view()) > kItemBytesMax) {
    return ValidationError(messages::ItemTooLarge());
  }
  DYNOLITH_RETURN_IF_ERROR(EnvelopedForSingleWrite(
      context, expressions->LowerRequestExpected(request, *context.violations)));
  return EnvelopedForSingleWrite(context,
                                 expressions->Parse(std::nullopt, request.condition_expression,
                                                    context.violations->Of(&request)));
}

}  // namespace

absl::StatusOr<WriteOutput> PutItem(const OperationContext& context,
                                    const PutItemRequest& request) {
  WriteExpressions expressions(request);
  DYNOLITH_RETURN_IF_ERROR(CheckRequest(context, request, &expressions));
  TableGates gates;
  DYNOLITH_ASSIGN_OR_RETURN(const size_t position, gates.Add(context, request.table_name));
  DYNOLITH_RETURN_IF_ERROR(gates.Lock());
  const TableMeta& meta = gates.meta(position);
  DYNOLITH_RETURN_IF_ERROR(CheckItemKeys(meta.schema, request.item.view()));

  const RowWrite write =
      PlanSingle(request, RowWrite::Kind::kPut, gates, position, request.item.view(), expressions);
  return ExecuteSingle(context, request, write, &gates, [&request](const RowOutcome& outcome) {
    return ReturnedOldItem(request, outcome);
  });
}

}  // namespace dynolith
