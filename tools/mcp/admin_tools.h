// The tools for snapshots, faults, the clock, capacity and hot keys; tools.json describes each.
#ifndef DYNOLITH_TOOLS_MCP_ADMIN_TOOLS_H_
#define DYNOLITH_TOOLS_MCP_ADMIN_TOOLS_H_

#include "absl/status/statusor.h"
#include "tools/mcp/tool.h"

namespace dynolith::mcp {

absl::StatusOr<ToolResult> HotKeys(const ToolCall& call);
absl::StatusOr<ToolResult> Capacity(const ToolCall& call);
absl::StatusOr<ToolResult> GetClock(const ToolCall& call);
absl::StatusOr<ToolResult> AdvanceClock(const ToolCall& call);
absl::StatusOr<ToolResult> ListFaults(const ToolCall& call);
absl::StatusOr<ToolResult> SetFault(const ToolCall& call);
absl::StatusOr<ToolResult> RemoveFaults(const ToolCall& call);
absl::StatusOr<ToolResult> ListSnapshots(const ToolCall& call);
absl::StatusOr<ToolResult> TakeSnapshot(const ToolCall& call);
absl::StatusOr<ToolResult> RestoreSnapshot(const ToolCall& call);
absl::StatusOr<ToolResult> RemoveSnapshot(const ToolCall& call);

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_ADMIN_TOOLS_H_
