// A tool: what it says of itself, and what runs when it is called.
#ifndef DYNOLITH_TOOLS_MCP_TOOL_H_
#define DYNOLITH_TOOLS_MCP_TOOL_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/text/json_tree.h"
#include "tools/mcp/backend.h"

namespace dynolith::mcp {

// What the user allowed at the start. Each includes those before it.
enum class Permission : uint8_t { kRead, kWrite, kDelete };

struct ToolRules {
  Permission permission = Permission::kRead;
  // Whether destructive tools may run where no snapshot can be taken.
  bool without_snapshots = false;
  // Automatic snapshots that are kept; the oldest go.
  int64_t snapshots_kept = 10;
};

// One call of a tool. Its arguments have passed its schema.
struct ToolCall {
  const JsonTree& arguments;
  Backend* backend;
  const ToolRules& rules;
  // Whether the client has withdrawn the request.
  std::function<bool()> is_cancelled;
  // Progress, if the client asked for it; `total`: 0 if it is unknown.
  std::function<void(double progress, double total, std::string_view message)> report;
};

struct ToolResult {
  JsonTree structured;  // an object that fits the output schema
  std::string summary;  // for people, before the JSON; may be empty
};

// Errors become results with isError, for the model to read: those of the service, of the checks of
// this room, and kPermissionDenied, which name the option that allows the call.
using RunTool = absl::StatusOr<ToolResult> (*)(const ToolCall& call);

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_TOOL_H_
