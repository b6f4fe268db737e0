// The tools for reading tables and items; tools.json describes each.
#ifndef DYNOLITH_TOOLS_MCP_READ_TOOLS_H_
#define DYNOLITH_TOOLS_MCP_READ_TOOLS_H_

#include "absl/status/statusor.h"
#include "tools/mcp/tool.h"

namespace dynolith::mcp {

absl::StatusOr<ToolResult> ListTables(const ToolCall& call);
absl::StatusOr<ToolResult> DescribeTable(const ToolCall& call);
absl::StatusOr<ToolResult> GetItem(const ToolCall& call);
absl::StatusOr<ToolResult> Query(const ToolCall& call);
absl::StatusOr<ToolResult> Scan(const ToolCall& call);
absl::StatusOr<ToolResult> PartiqlSelect(const ToolCall& call);

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_READ_TOOLS_H_
