// Explains what a read does and costs; tools.json describes it.
#ifndef DYNOLITH_TOOLS_MCP_EXPLAIN_TOOL_H_
#define DYNOLITH_TOOLS_MCP_EXPLAIN_TOOL_H_

#include "absl/status/statusor.h"
#include "tools/mcp/tool.h"

namespace dynolith::mcp {

absl::StatusOr<ToolResult> Explain(const ToolCall& call);

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_EXPLAIN_TOOL_H_
