#include "api/partiql/parsed_statement.h"

#include "api/request/arn.h"
#include "engine/base/status_macros.h"

namespace dynolith {

absl::StatusOr<std::unique_ptr<partiql::Statement>> ParseStatement(
    const OperationContext& context, const std::string& text,
    const std::vector<Value>& parameters) {
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<partiql::Statement> statement,
                            partiql::Parse(text, parameters));
  DYNOLITH_ASSIGN_OR_RETURN(statement->table, ResolveTableName(context, statement->table));
  return statement;
}

}  // namespace dynolith
