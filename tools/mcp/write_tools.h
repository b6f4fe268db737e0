// The tools for writing and deleting tables and items; tools.json describes each.
#ifndef DYNOLITH_TOOLS_MCP_WRITE_TOOLS_H_
#define DYNOLITH_TOOLS_MCP_WRITE_TOOLS_H_

#include "absl/status/statusor.h"
#include "tools/mcp/tool.h"

namespace dynolith::mcp {

absl::StatusOr<ToolResult> CreateTable(const ToolCall& call);
absl::StatusOr<ToolResult> UpdateTable(const ToolCall& call);
absl::StatusOr<ToolResult> PutItems(const ToolCall& call);
absl::StatusOr<ToolResult> UpdateItem(const ToolCall& call);
absl::StatusOr<ToolResult> PartiqlWrite(const ToolCall& call);
absl::StatusOr<ToolResult> DeleteItems(const ToolCall& call);
absl::StatusOr<ToolResult> DeleteTable(const ToolCall& call);

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_WRITE_TOOLS_H_
