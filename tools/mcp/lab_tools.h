// The tools for the lab: experiments, simulations, advice and bills; tools.json describes each.
#ifndef DYNOLITH_TOOLS_MCP_LAB_TOOLS_H_
#define DYNOLITH_TOOLS_MCP_LAB_TOOLS_H_

#include "absl/status/statusor.h"
#include "tools/mcp/tool.h"

namespace dynolith::mcp {

absl::StatusOr<ToolResult> LabExperiments(const ToolCall& call);
absl::StatusOr<ToolResult> LabSimulate(const ToolCall& call);
absl::StatusOr<ToolResult> LabAdvise(const ToolCall& call);
absl::StatusOr<ToolResult> LabBill(const ToolCall& call);

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_LAB_TOOLS_H_
