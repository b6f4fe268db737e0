// A PartiQL statement with its parameters, parsed to see what it would do.
#ifndef DYNOLITH_TOOLS_MCP_PARSED_PARTIQL_H_
#define DYNOLITH_TOOLS_MCP_PARSED_PARTIQL_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/partiql/statement.h"
#include "engine/text/json_tree.h"
#include "engine/value/value.h"

namespace dynolith::mcp {

struct ParsedPartiql {
  std::vector<Value> parameters;  // which the statement borrows
  std::unique_ptr<partiql::Statement> statement;
};

// `input`: that of ExecuteStatement. Errors: those of partiql::Parse, and of invalid values.
absl::StatusOr<ParsedPartiql> ParsePartiql(const JsonTree& input);

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_PARSED_PARTIQL_H_
