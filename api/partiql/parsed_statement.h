// The parsed text of a PartiQL statement, for this database.
#ifndef DYNOLITH_API_PARTIQL_PARSED_STATEMENT_H_
#define DYNOLITH_API_PARTIQL_PARSED_STATEMENT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "engine/partiql/statement.h"

namespace dynolith {

// The statement, which borrows the parameters; the ARN of a table stands for its name. Errors:
// those of partiql::Parse, and of an ARN that is not one of this database's.
absl::StatusOr<std::unique_ptr<partiql::Statement>> ParseStatement(
    const OperationContext& context, const std::string& text, const std::vector<Value>& parameters);

}  // namespace dynolith

#endif  // DYNOLITH_API_PARTIQL_PARSED_STATEMENT_H_
