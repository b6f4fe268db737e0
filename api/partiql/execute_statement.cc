#include "api/partiql/execute_statement.h"

#include "api/partiql/messages.h"
#include "api/partiql/parsed_statement.h"
#include "api/partiql/statement_read.h"
#include "api/partiql/statement_write.h"
#include "api/table/table_gate.h"
#include "api/write/consumed_capacity.h"
#include "api/write/row_write.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/partiql/messages.h"
#include "engine/partiql/statement.h"

namespace dynolith {
namespace {

using partiql::Statement;
using partiql::StatementKind;

absl::StatusOr<ExecuteStatementOutput> RunWrite(const OperationContext& context,
                                                const ExecuteStatementRequest& request,
                                                const Statement& statement) {
  TableGates gates;
  DYNOLITH_ASSIGN_OR_RETURN(const size_t position, gates.Add(context, statement.table));
  DYNOLITH_RETURN_IF_ERROR(gates.Lock());
  StatementWrite planned;
  const RowWriteOptions options = {.returns_old_on_failure =
                                       request.return_values_on_condition_check_failure ==
                                       ReturnValuesOnConditionCheckFailure::kAllOld};
  DYNOLITH_RETURN_IF_ERROR(PlanStatementWrite(gates.table(position), gates.meta(position),
                                              statement, options, &planned));
  RowOutcome outcome;
  DYNOLITH_RETURN_IF_ERROR(
      Execute(context, absl::MakeConstSpan(&planned.write, 1), absl::MakeSpan(&outcome, 1)));
  DYNOLITH_RETURN_IF_ERROR(outcome.status);
  DYNOLITH_RETURN_IF_ERROR(gates.Finish());

  ExecuteStatementOutput output;
  if (auto returned = ReturnedBy(statement, planned, outcome)) {
    output.items.push_back(*std::move(returned));
  }
  CapacityTotal total;
  total.Add(planned.write, outcome);
  output.consumed_capacity = total.Report(statement.table, request.return_consumed_capacity);
  return output;
}

}  // namespace

absl::StatusOr<ExecuteStatementOutput> ExecuteStatement(const OperationContext& context,
                                                        const ExecuteStatementRequest& request) {
  DYNOLITH_RETURN_IF_ERROR(context.violations->Of(&request).values);
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Statement> statement,
                            ParseStatement(context, request.statement, request.parameters));
  if (statement->kind == StatementKind::kExists) {
    return ValidationError(messages::UnrecognizedFunction("exists", statement->position));
  }
  if (!statement->is_read() && request.next_token) {
    return ValidationError(messages::NextTokenOnWrite());
  }
  return statement->is_read() ? RunSelect(context, request, *statement)
                              : RunWrite(context, request, *statement);
}

}  // namespace dynolith
