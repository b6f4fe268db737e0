// Reads items until a bound of the call is reached, with a cursor to go on there.
#ifndef DYNOLITH_TOOLS_MCP_BOUNDED_READ_H_
#define DYNOLITH_TOOLS_MCP_BOUNDED_READ_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "engine/text/json_tree.h"
#include "tools/mcp/tool.h"

namespace dynolith::mcp {

// `operation`: Query, Scan or ExecuteStatement. `input`: without Limit and start, which follow from
// the call's limit, max_bytes and cursor. The result has at most so many items and bytes, and the
// call reads at most kRowsReadMax rows; the cursor stands behind the last row that was read, so
// nothing is left out or returned twice. An item that exceeds max_bytes alone is left out, with a
// note. Errors: the service's; kInvalidArgument for a cursor of another call.
absl::StatusOr<ToolResult> ReadBounded(const ToolCall& call, std::string_view operation,
                                       const JsonTree& input);

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_BOUNDED_READ_H_
