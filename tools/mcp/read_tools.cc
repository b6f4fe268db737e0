#include "tools/mcp/read_tools.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/status_macros.h"
#include "tools/mcp/bounded_read.h"
#include "tools/mcp/bounds.h"
#include "tools/mcp/json_values.h"
#include "tools/mcp/messages.h"
#include "tools/mcp/parsed_partiql.h"
#include "tools/mcp/service_input.h"
#include "tools/mcp/table_facts.h"

namespace dynolith::mcp {
namespace {

std::string JoinedNames(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return all;
}

JsonTree TableLine(const TableFacts& facts) {
  JsonTree line = MapTree();
  SetMember(&line, "table", TextTree(facts.table));
  SetMember(&line, "status", TextTree(facts.status));
  SetMember(&line, "partition_key", TextTree(JoinedNames(facts.own.partition_keys)));
  if (!facts.own.sort_keys.empty()) {
    SetMember(&line, "sort_key", TextTree(JoinedNames(facts.own.sort_keys)));
  }
  SetMember(&line, "items", WholeTree(facts.own.items));
  SetMember(&line, "bytes", WholeTree(facts.own.bytes));
  JsonTree indexes = ListTree();
  for (const KeyedFacts& index : facts.indexes) indexes.elements.push_back(TextTree(index.name));
  SetMember(&line, "indexes", std::move(indexes));
  return line;
}

}  // namespace

absl::StatusOr<ToolResult> ListTables(const ToolCall& call) {
  constexpr int64_t kPageMax = 100;  // the service's
  const int64_t limit = std::min(WholeAt(call.arguments, "limit", kElementsUsual), kPageMax);
  JsonTree input = MapTree();
  SetMember(&input, "Limit", WholeTree(limit));
  if (const JsonTree* const cursor = call.arguments.Find("cursor")) {
    SetMember(&input, "ExclusiveStartTableName", *cursor);
  }
  DYNOLITH_ASSIGN_OR_RETURN(const JsonTree answer, call.backend->Call("ListTables", input));
  JsonTree tables = ListTree();
  for (const JsonTree& name : answer.Find("TableNames")->elements) {
    const absl::StatusOr<TableFacts> facts = FindTableFacts(call.backend, name.text);
    if (facts.ok()) tables.elements.push_back(TableLine(*facts));  // else it was deleted meanwhile
  }
  JsonTree result = MapTree();
  SetMember(&result, "tables", std::move(tables));
  const JsonTree* const last = answer.Find("LastEvaluatedTableName");
  SetMember(&result, "truncated", BoolTree(last != nullptr));
  if (last != nullptr) SetMember(&result, "next_cursor", *last);
  return ToolResult{std::move(result), ""};
}

absl::StatusOr<ToolResult> DescribeTable(const ToolCall& call) {
  const std::string table = TextAt(call.arguments, "table");
  DYNOLITH_ASSIGN_OR_RETURN(TableFacts facts, FindTableFacts(call.backend, table));
  JsonTree result = MapTree();
  SetMember(&result, "table", TextTree(facts.table));
  SetMember(&result, "description", std::move(facts.description));
  JsonTree input = MapTree();
  SetMember(&input, "TableName", TextTree(table));
  absl::StatusOr<JsonTree> expiry = call.backend->Call("DescribeTimeToLive", input);
  if (expiry.ok()) {
    SetMember(&result, "time_to_live", designs::TakeMember(&*expiry, "TimeToLiveDescription"));
  }
  return ToolResult{std::move(result), ""};
}

absl::StatusOr<ToolResult> GetItem(const ToolCall& call) {
  DYNOLITH_ASSIGN_OR_RETURN(JsonTree input, ServiceInput(call.arguments));
  SetMember(&input, "ReturnConsumedCapacity", TextTree("TOTAL"));
  DYNOLITH_ASSIGN_OR_RETURN(const JsonTree answer, call.backend->Call("GetItem", input));
  JsonTree result = MapTree();
  const JsonTree* const item = answer.Find("Item");
  SetMember(&result, "found", BoolTree(item != nullptr));
  SetMember(&result, "read_units", RealTree(ConsumedUnits(answer)));
  if (item == nullptr) return ToolResult{std::move(result), ""};
  JsonTree shown = ShownItem(call.arguments, *item);
  const size_t bytes = PrintJson(shown).size();
  const auto most = static_cast<size_t>(WholeAt(call.arguments, "max_bytes", kBytesUsual));
  if (bytes <= most) {
    SetMember(&result, "item", std::move(shown));
  } else {
    JsonTree notes = ListTree();
    notes.elements.push_back(TextTree(messages::McpItemLeftOut(bytes, most)));
    SetMember(&result, "notes", std::move(notes));
  }
  return ToolResult{std::move(result), ""};
}

absl::StatusOr<ToolResult> Query(const ToolCall& call) {
  DYNOLITH_ASSIGN_OR_RETURN(const JsonTree input, ServiceInput(call.arguments));
  return ReadBounded(call, "Query", input);
}

absl::StatusOr<ToolResult> Scan(const ToolCall& call) {
  DYNOLITH_ASSIGN_OR_RETURN(const JsonTree input, ServiceInput(call.arguments));
  return ReadBounded(call, "Scan", input);
}

absl::StatusOr<ToolResult> PartiqlSelect(const ToolCall& call) {
  DYNOLITH_ASSIGN_OR_RETURN(const JsonTree input, ServiceInput(call.arguments));
  DYNOLITH_ASSIGN_OR_RETURN(const ParsedPartiql parsed, ParsePartiql(input));
  if (!parsed.statement->is_read()) {
    return absl::PermissionDeniedError(
        messages::McpNotASelect(call.rules.permission == Permission::kRead));
  }
  return ReadBounded(call, "ExecuteStatement", input);
}

}  // namespace dynolith::mcp
