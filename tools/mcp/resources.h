// Resources: tables' descriptions, and the texts of experiments.
//
//   dynolith://table/music              application/json, as the tool describe_table
//   dynolith://experiment/05-celebrity  application/toml
#ifndef DYNOLITH_TOOLS_MCP_RESOURCES_H_
#define DYNOLITH_TOOLS_MCP_RESOURCES_H_

#include <string>

#include "absl/status/statusor.h"
#include "engine/text/json_tree.h"
#include "tools/mcp/tool.h"

namespace dynolith::mcp {

// A page of tables: the result of resources/list. `cursor`: empty for the first.
absl::StatusOr<JsonTree> ListResources(const ToolCall& call, const std::string& cursor);
// The result of resources/templates/list.
JsonTree ListResourceTemplates();
// The result of resources/read. Errors: kNotFound.
absl::StatusOr<JsonTree> ReadResource(const ToolCall& call, const std::string& uri);

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_RESOURCES_H_
