#include "tools/mcp/tool_list.h"

#include <optional>
#include <set>
#include <utility>

#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "tools/mcp/admin_tools.h"
#include "tools/mcp/bounds.h"
#include "tools/mcp/explain_tool.h"
#include "tools/mcp/json_values.h"
#include "tools/mcp/lab_tools.h"
#include "tools/mcp/load_tool.h"
#include "tools/mcp/messages.h"
#include "tools/mcp/read_tools.h"
#include "tools/mcp/schema_check.h"
#include "tools/mcp/write_tools.h"

namespace dynolith::mcp {
namespace {

#include "tools/mcp/tools.inc"

struct NamedRun {
  std::string_view name;
  RunTool run;
};
constexpr NamedRun kRuns[] = {{"list_tables", ListTables},
                              {"describe_table", DescribeTable},
                              {"get_item", GetItem},
                              {"query", Query},
                              {"scan", Scan},
                              {"partiql_select", PartiqlSelect},
                              {"explain", Explain},
                              {"hot_keys", HotKeys},
                              {"capacity", Capacity},
                              {"get_clock", GetClock},
                              {"list_faults", ListFaults},
                              {"list_snapshots", ListSnapshots},
                              {"lab_experiments", LabExperiments},
                              {"lab_simulate", LabSimulate},
                              {"lab_advise", LabAdvise},
                              {"lab_bill", LabBill},
                              {"create_table", CreateTable},
                              {"update_table", UpdateTable},
                              {"put_items", PutItems},
                              {"update_item", UpdateItem},
                              {"partiql_write", PartiqlWrite},
                              {"take_snapshot", TakeSnapshot},
                              {"set_fault", SetFault},
                              {"remove_faults", RemoveFaults},
                              {"load_design", LoadDesign},
                              {"delete_items", DeleteItems},
                              {"delete_table", DeleteTable},
                              {"restore_snapshot", RestoreSnapshot},
                              {"remove_snapshot", RemoveSnapshot},
                              {"advance_clock", AdvanceClock}};

// {"type": "object", …} of the members that `names` lists, each a name, and ! if it is required.
JsonTree ObjectSchema(const JsonTree& names, const JsonTree* own, const JsonTree& shared) {
  JsonTree properties = MapTree();
  JsonTree required = ListTree();
  for (const JsonTree& each : names.elements) {
    std::string name = each.text;
    if (name.ends_with('!')) {
      name.pop_back();
      required.elements.push_back(TextTree(name));
    }
    const JsonTree* schema = own == nullptr ? nullptr : own->Find(name);
    if (schema == nullptr) schema = shared.Find(name);
    SetMember(&properties, name, *schema);
  }
  JsonTree object = MapTree();
  SetMember(&object, "type", TextTree("object"));
  SetMember(&object, "properties", std::move(properties));
  if (!required.elements.empty()) SetMember(&object, "required", std::move(required));
  SetMember(&object, "additionalProperties", BoolTree(false));
  return object;
}

JsonTree Annotations(const JsonTree& tool, Permission needs) {
  JsonTree annotations = MapTree();
  SetMember(&annotations, "title", TextTree(TextAt(tool, "title")));
  SetMember(&annotations, "readOnlyHint", BoolTree(needs == Permission::kRead));
  SetMember(&annotations, "destructiveHint", BoolTree(IsTrueAt(tool, "destructive")));
  SetMember(&annotations, "idempotentHint",
            BoolTree(needs == Permission::kRead || IsTrueAt(tool, "idempotent")));
  SetMember(&annotations, "openWorldHint", BoolTree(false));
  return annotations;
}

ListedTool MakeTool(const JsonTree& tool, const JsonTree& all) {
  ListedTool made;
  made.name = TextAt(tool, "name");
  const std::string needs = TextAt(tool, "needs");
  made.needs = needs == "read"    ? Permission::kRead
               : needs == "write" ? Permission::kWrite
                                  : Permission::kDelete;
  made.input_schema =
      ObjectSchema(*tool.Find("takes"), tool.Find("own_parameters"), *all.Find("parameters"));
  JsonTree definition = MapTree();
  for (const std::string_view name : {"name", "title", "description"}) {
    SetMember(&definition, name, *tool.Find(name));
  }
  SetMember(&definition, "inputSchema", made.input_schema);
  SetMember(&definition, "outputSchema",
            ObjectSchema(*tool.Find("gives"), tool.Find("own_results"), *all.Find("results")));
  SetMember(&definition, "annotations", Annotations(tool, made.needs));
  made.definition = std::move(definition);
  for (const NamedRun& each : kRuns) {
    if (each.name == made.name) made.run = each.run;
  }
  return made;
}

std::vector<ListedTool> ReadTools() {
  constexpr int kDepthMax = 16;
  const std::optional<JsonTree> all = ParseJson(kToolsText, kDepthMax);
  std::vector<ListedTool> tools;
  for (const JsonTree& tool : all->Find("tools")->elements) tools.push_back(MakeTool(tool, *all));
  return tools;
}

JsonTree TextContent(std::string_view text) {
  JsonTree content = MapTree();
  SetMember(&content, "type", TextTree("text"));
  SetMember(&content, "text", TextTree(text));
  return content;
}

JsonTree FailedResult(std::string_view reason) {
  JsonTree result = MapTree();
  JsonTree content = ListTree();
  content.elements.push_back(TextContent(reason));
  SetMember(&result, "content", std::move(content));
  SetMember(&result, "isError", BoolTree(true));
  return result;
}

absl::StatusOr<ToolResult> RunChecked(const ListedTool& tool, const ToolCall& call) {
  if (tool.needs > call.rules.permission) {
    return absl::PermissionDeniedError(
        messages::McpNotAllowed(tool.name, tool.needs == Permission::kDelete));
  }
  DYNOLITH_RETURN_IF_ERROR(CheckAgainst(tool.input_schema, call.arguments));
  return tool.run(call);
}

}  // namespace

const std::vector<ListedTool>& AllTools() {
  static const auto* const kTools = new std::vector<ListedTool>(ReadTools());
  return *kTools;
}

const ListedTool* FindTool(std::string_view name) {
  for (const ListedTool& tool : AllTools()) {
    if (tool.name == name) return &tool;
  }
  return nullptr;
}

JsonTree CallTool(const ListedTool& tool, const ToolCall& call) {
  absl::StatusOr<ToolResult> ran = RunChecked(tool, call);
  if (!ran.ok()) return FailedResult(MessageOf(ran.status()));
  const std::string text = PrintJson(ran->structured);
  if (2 * text.size() + ran->summary.size() > kResultBytesMax) {
    return FailedResult(messages::McpResultTooLarge(text.size()));
  }
  JsonTree content = ListTree();
  if (!ran->summary.empty()) content.elements.push_back(TextContent(ran->summary));
  content.elements.push_back(TextContent(text));
  JsonTree result = MapTree();
  SetMember(&result, "content", std::move(content));
  SetMember(&result, "structuredContent", std::move(ran->structured));
  SetMember(&result, "isError", BoolTree(false));
  return result;
}

}  // namespace dynolith::mcp
