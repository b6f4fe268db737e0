#include "tools/mcp/resources.h"

#include <string_view>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/lab/shipped/shipped.h"
#include "tools/mcp/bounds.h"
#include "tools/mcp/json_values.h"
#include "tools/mcp/messages.h"
#include "tools/mcp/read_tools.h"

namespace dynolith::mcp {
namespace {

constexpr std::string_view kTableUri = "dynolith://table/";
constexpr std::string_view kExperimentUri = "dynolith://experiment/";

JsonTree Template(std::string_view uri, std::string_view name, std::string_view description,
                  std::string_view type) {
  JsonTree entry = MapTree();
  SetMember(&entry, "uriTemplate", TextTree(Concat(uri, "{name}")));
  SetMember(&entry, "name", TextTree(name));
  SetMember(&entry, "description", TextTree(description));
  SetMember(&entry, "mimeType", TextTree(type));
  return entry;
}

JsonTree Contents(const std::string& uri, std::string_view type, std::string_view text) {
  JsonTree content = MapTree();
  SetMember(&content, "uri", TextTree(uri));
  SetMember(&content, "mimeType", TextTree(type));
  SetMember(&content, "text", TextTree(text));
  JsonTree list = ListTree();
  list.elements.push_back(std::move(content));
  JsonTree result = MapTree();
  SetMember(&result, "contents", std::move(list));
  return result;
}

}  // namespace

absl::StatusOr<JsonTree> ListResources(const ToolCall& call, const std::string& cursor) {
  JsonTree input = MapTree();
  SetMember(&input, "Limit", WholeTree(kElementsUsual));
  if (!cursor.empty()) SetMember(&input, "ExclusiveStartTableName", TextTree(cursor));
  DYNOLITH_ASSIGN_OR_RETURN(const JsonTree answer, call.backend->Call("ListTables", input));
  JsonTree resources = ListTree();
  for (const JsonTree& name : answer.Find("TableNames")->elements) {
    JsonTree entry = MapTree();
    SetMember(&entry, "uri", TextTree(Concat(kTableUri, name.text)));
    SetMember(&entry, "name", name);
    SetMember(&entry, "description", TextTree(messages::McpDescribesTable(name.text)));
    SetMember(&entry, "mimeType", TextTree("application/json"));
    resources.elements.push_back(std::move(entry));
  }
  JsonTree result = MapTree();
  SetMember(&result, "resources", std::move(resources));
  if (const JsonTree* const last = answer.Find("LastEvaluatedTableName")) {
    SetMember(&result, "nextCursor", *last);
  }
  return result;
}

JsonTree ListResourceTemplates() {
  JsonTree list = ListTree();
  list.elements.push_back(
      Template(kTableUri, "table", "The description of a table", "application/json"));
  list.elements.push_back(Template(kExperimentUri, "experiment",
                                   "The text of a shipped experiment of the lab",
                                   "application/toml"));
  JsonTree result = MapTree();
  SetMember(&result, "resourceTemplates", std::move(list));
  return result;
}

absl::StatusOr<JsonTree> ReadResource(const ToolCall& call, const std::string& uri) {
  if (uri.starts_with(kTableUri)) {
    JsonTree arguments = MapTree();
    SetMember(&arguments, "table", TextTree(uri.substr(kTableUri.size())));
    const ToolCall described{arguments, call.backend, call.rules, call.is_cancelled, call.report};
    const absl::StatusOr<ToolResult> table = DescribeTable(described);
    if (table.ok()) return Contents(uri, "application/json", PrintJson(table->structured));
  }
  if (uri.starts_with(kExperimentUri)) {
    const lab::ShippedFile* const file =
        lab::FindShippedExperiment(uri.substr(kExperimentUri.size()));
    if (file != nullptr) return Contents(uri, "application/toml", file->text);
  }
  return absl::NotFoundError(messages::McpNoSuchResource(uri));
}

}  // namespace dynolith::mcp
