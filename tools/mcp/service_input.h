// The arguments of a tool as the input of an operation.
#ifndef DYNOLITH_TOOLS_MCP_SERVICE_INPUT_H_
#define DYNOLITH_TOOLS_MCP_SERVICE_INPUT_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/text/json_tree.h"

namespace dynolith::mcp {

// Whether values in arguments and results are plain JSON (plain_value.h).
bool IsPlain(const JsonTree& arguments);

// The members that the arguments have in common with operations: table, index, key, expressions,
// their names and values, statement and its parameters, with values typed. Errors: of TypedValue.
absl::StatusOr<JsonTree> ServiceInput(const JsonTree& arguments);

// An argument that is an item or a key, typed; `name` is for errors.
absl::StatusOr<JsonTree> TypedArgument(const JsonTree& arguments, const JsonTree& item,
                                       const std::string& name);
// An item of an answer, in the form that the arguments ask for.
JsonTree ShownItem(const JsonTree& arguments, const JsonTree& typed_item);

// CapacityUnits of an answer's ConsumedCapacity; 0 if there is none.
double ConsumedUnits(const JsonTree& answer);

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_SERVICE_INPUT_H_
