// Loads tables and items from the text of a file; tools.json describes it.
#ifndef DYNOLITH_TOOLS_MCP_LOAD_TOOL_H_
#define DYNOLITH_TOOLS_MCP_LOAD_TOOL_H_

#include "absl/status/statusor.h"
#include "tools/mcp/tool.h"

namespace dynolith::mcp {

absl::StatusOr<ToolResult> LoadDesign(const ToolCall& call);

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_LOAD_TOOL_H_
