// The automatic snapshots before destructive calls.
#ifndef DYNOLITH_TOOLS_MCP_SAFETY_SNAPSHOT_H_
#define DYNOLITH_TOOLS_MCP_SAFETY_SNAPSHOT_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/text/json_tree.h"
#include "tools/mcp/tool.h"

namespace dynolith::mcp {

// Begins the names of all automatic snapshots; a time follows, so that their order is that of time.
inline constexpr std::string_view kSafetyPrefix = "mcp-auto-";

// Saves the present state, and removes the oldest automatic snapshots beyond those that are kept,
// but never `spared`. Returns its name; empty where none can be taken and the rules allow that.
// Errors: kFailedPrecondition with the reason, and the option.
absl::StatusOr<std::string> TakeSafetySnapshot(const ToolCall& call, std::string_view spared = "");

// Adds the member "snapshot" unless the name is empty.
void SetSnapshotMember(const std::string& name, JsonTree* result);

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_SAFETY_SNAPSHOT_H_
