// The tools of a server: their definitions from tools.json, and what runs for each.
#ifndef DYNOLITH_TOOLS_MCP_TOOL_LIST_H_
#define DYNOLITH_TOOLS_MCP_TOOL_LIST_H_

#include <string>
#include <string_view>
#include <vector>

#include "engine/text/json_tree.h"
#include "tools/mcp/tool.h"

namespace dynolith::mcp {

struct ListedTool {
  std::string name;
  Permission needs = Permission::kRead;
  JsonTree definition;    // as tools/list shows it
  JsonTree input_schema;  // a part of it
  RunTool run = nullptr;
};

// All tools, whether or not they are allowed, in the order of tools.json.
const std::vector<ListedTool>& AllTools();
// nullptr: there is no such tool.
const ListedTool* FindTool(std::string_view name);

// Checks permission and arguments, runs the tool, and makes the result of tools/call. Never more
// than kResultBytesMax.
JsonTree CallTool(const ListedTool& tool, const ToolCall& call);

}  // namespace dynolith::mcp

#endif  // DYNOLITH_TOOLS_MCP_TOOL_LIST_H_
