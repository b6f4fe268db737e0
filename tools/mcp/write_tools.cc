#include "tools/mcp/write_tools.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/mcp/json_values.h"
#include "tools/mcp/messages.h"
#include "tools/mcp/parsed_partiql.h"
#include "tools/mcp/safety_snapshot.h"
#include "tools/mcp/service_input.h"
#include "tools/mcp/table_facts.h"

namespace dynolith::mcp {
namespace {

// The placeholder for the partition key's name, which no caller uses.
constexpr std::string_view kKeyPlaceholder = "#mcp_partition_key";

bool IsConditionFailed(const absl::Status& status) {
  return MessageOf(status).starts_with("ConditionalCheckFailedException");
}

// Adds to the condition of the input that an item with its key exists, or that none does.
void AddExistence(const TableFacts& facts, bool exists, JsonTree* input) {
  const std::string test =
      Concat(exists ? "attribute_exists(" : "attribute_not_exists(", kKeyPlaceholder, ")");
  const std::string given = TextAt(*input, "ConditionExpression");
  SetMember(input, "ConditionExpression",
            TextTree(given.empty() ? test : Concat("(", given, ") AND ", test)));
  JsonTree names = designs::TakeMember(input, "ExpressionAttributeNames");
  if (names.kind != JsonTree::Kind::kMap) names = MapTree();
  SetMember(&names, kKeyPlaceholder, TextTree(facts.own.partition_keys.front()));
  SetMember(input, "ExpressionAttributeNames", std::move(names));
}

ToolResult TableResult(const JsonTree& answer, const std::string& snapshot) {
  JsonTree result = MapTree();
  const JsonTree* const table = answer.Find("TableDescription");
  SetMember(&result, "table", TextTree(TextAt(*table, "TableName")));
  SetMember(&result, "status", TextTree(TextAt(*table, "TableStatus")));
  SetSnapshotMember(snapshot, &result);
  return {std::move(result), ""};
}

// Whether an input of UpdateTable deletes something: an index, a replica, a stream's future, or the
// protection from deletion.
bool Deletes(const JsonTree& tree) {
  for (const auto& [name, value] : tree.members) {
    const bool is_off = value.kind == JsonTree::Kind::kOther && value.text == "false";
    if (name == "Delete") return true;
    if (is_off && (name == "StreamEnabled" || name == "DeletionProtectionEnabled")) return true;
    if (Deletes(value)) return true;
  }
  return std::any_of(tree.elements.begin(), tree.elements.end(), Deletes);
}

std::string_view KindName(partiql::StatementKind kind) {
  if (kind == partiql::StatementKind::kInsert) return "INSERT";
  return kind == partiql::StatementKind::kUpdate ? "UPDATE" : "DELETE";
}

// Writes of several items one after the other, up to the first one that fails.
class WriteSeries {
 public:
  // A failure of the first write is the call's.
  absl::Status End(const absl::Status& why) {
    if (done_ == 0) return why;
    error_ = std::string(MessageOf(why));
    return absl::OkStatus();
  }
  void Count(double units) {
    ++done_;
    units_ += units;
  }
  bool is_ended() const { return !error_.empty(); }
  void Report(const std::string& snapshot, JsonTree* result) const {
    SetMember(result, "write_units", RealTree(units_));
    if (is_ended()) SetMember(result, "error", TextTree(error_));
    SetSnapshotMember(snapshot, result);
  }

 private:
  int64_t done_ = 0;
  double units_ = 0;
  std::string error_;
};

absl::StatusOr<JsonTree> PutInput(const ToolCall& call, const TableFacts& facts,
                                  const JsonTree& item) {
  JsonTree input = MapTree();
  SetMember(&input, "TableName", TextTree(TextAt(call.arguments, "table")));
  SetMember(&input, "ReturnConsumedCapacity", TextTree("TOTAL"));
  DYNOLITH_ASSIGN_OR_RETURN(JsonTree typed, TypedArgument(call.arguments, item, "items"));
  SetMember(&input, "Item", std::move(typed));
  if (!IsTrueAt(call.arguments, "overwrite")) AddExistence(facts, false, &input);
  return input;
}

}  // namespace

absl::StatusOr<ToolResult> CreateTable(const ToolCall& call) {
  DYNOLITH_ASSIGN_OR_RETURN(const JsonTree answer,
                            call.backend->Call("CreateTable", *call.arguments.Find("definition")));
  return TableResult(answer, "");
}

absl::StatusOr<ToolResult> UpdateTable(const ToolCall& call) {
  const JsonTree& definition = *call.arguments.Find("definition");
  if (Deletes(definition) && call.rules.permission < Permission::kDelete) {
    return absl::PermissionDeniedError(messages::McpUpdateDeletes());
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::string snapshot, TakeSafetySnapshot(call));
  DYNOLITH_ASSIGN_OR_RETURN(const JsonTree answer, call.backend->Call("UpdateTable", definition));
  return TableResult(answer, snapshot);
}

absl::StatusOr<ToolResult> PutItems(const ToolCall& call) {
  DYNOLITH_ASSIGN_OR_RETURN(const TableFacts facts,
                            FindTableFacts(call.backend, TextAt(call.arguments, "table")));
  std::string snapshot;
  if (IsTrueAt(call.arguments, "overwrite")) {
    DYNOLITH_ASSIGN_OR_RETURN(snapshot, TakeSafetySnapshot(call));
  }
  WriteSeries series;
  int64_t put = 0;
  JsonTree there = ListTree();
  for (const JsonTree& item : call.arguments.Find("items")->elements) {
    if (call.is_cancelled()) {
      DYNOLITH_RETURN_IF_ERROR(series.End(absl::CancelledError(messages::McpCancelled())));
      break;
    }
    absl::StatusOr<JsonTree> answer = PutInput(call, facts, item);
    const absl::StatusOr<JsonTree> input = answer;
    if (input.ok()) answer = call.backend->Call("PutItem", *input);
    if (answer.ok()) {
      series.Count(ConsumedUnits(*answer));
      ++put;
    } else if (input.ok() && IsConditionFailed(answer.status())) {
      series.Count(0);
      const JsonTree key = facts.KeyOf(*input->Find("Item"));
      there.elements.push_back(ShownItem(call.arguments, key));
    } else {
      DYNOLITH_RETURN_IF_ERROR(series.End(answer.status()));
      break;
    }
  }
  JsonTree result = MapTree();
  SetMember(&result, "put", WholeTree(put));
  SetMember(&result, "already_there", std::move(there));
  series.Report(snapshot, &result);
  return ToolResult{std::move(result), ""};
}

absl::StatusOr<ToolResult> UpdateItem(const ToolCall& call) {
  DYNOLITH_ASSIGN_OR_RETURN(JsonTree input, ServiceInput(call.arguments));
  DYNOLITH_ASSIGN_OR_RETURN(const TableFacts facts,
                            FindTableFacts(call.backend, TextAt(call.arguments, "table")));
  const bool creates = IsTrueAt(call.arguments, "create");
  if (!creates) AddExistence(facts, true, &input);
  SetMember(&input, "ReturnValues", TextTree("ALL_NEW"));
  SetMember(&input, "ReturnConsumedCapacity", TextTree("TOTAL"));
  DYNOLITH_ASSIGN_OR_RETURN(const std::string snapshot, TakeSafetySnapshot(call));
  const absl::StatusOr<JsonTree> answer = call.backend->Call("UpdateItem", input);
  if (!answer.ok() && !creates && IsConditionFailed(answer.status())) {
    return absl::FailedPreconditionError(messages::McpAbsentOrCondition());
  }
  if (!answer.ok()) return answer.status();
  JsonTree result = MapTree();
  SetMember(&result, "item", ShownItem(call.arguments, *answer->Find("Attributes")));
  SetMember(&result, "write_units", RealTree(ConsumedUnits(*answer)));
  SetSnapshotMember(snapshot, &result);
  return ToolResult{std::move(result), ""};
}

absl::StatusOr<ToolResult> PartiqlWrite(const ToolCall& call) {
  DYNOLITH_ASSIGN_OR_RETURN(JsonTree input, ServiceInput(call.arguments));
  DYNOLITH_ASSIGN_OR_RETURN(const ParsedPartiql parsed, ParsePartiql(input));
  const partiql::StatementKind kind = parsed.statement->kind;
  if (kind == partiql::StatementKind::kSelect || kind == partiql::StatementKind::kExists) {
    return absl::InvalidArgumentError(messages::McpNotAWrite());
  }
  if (kind == partiql::StatementKind::kDelete && call.rules.permission < Permission::kDelete) {
    return absl::PermissionDeniedError(messages::McpStatementDeletes());
  }
  std::string snapshot;
  if (kind != partiql::StatementKind::kInsert) {
    DYNOLITH_ASSIGN_OR_RETURN(snapshot, TakeSafetySnapshot(call));
  }
  SetMember(&input, "ReturnConsumedCapacity", TextTree("TOTAL"));
  DYNOLITH_ASSIGN_OR_RETURN(const JsonTree answer, call.backend->Call("ExecuteStatement", input));
  JsonTree items = ListTree();
  if (const JsonTree* const returned = answer.Find("Items")) {
    for (const JsonTree& item : returned->elements) {
      items.elements.push_back(ShownItem(call.arguments, item));
    }
  }
  JsonTree result = MapTree();
  SetMember(&result, "kind", TextTree(KindName(kind)));
  SetMember(&result, "items", std::move(items));
  SetMember(&result, "write_units", RealTree(ConsumedUnits(answer)));
  SetSnapshotMember(snapshot, &result);
  return ToolResult{std::move(result), ""};
}

absl::StatusOr<ToolResult> DeleteItems(const ToolCall& call) {
  DYNOLITH_ASSIGN_OR_RETURN(JsonTree input, ServiceInput(call.arguments));
  SetMember(&input, "ReturnValues", TextTree("ALL_OLD"));
  SetMember(&input, "ReturnConsumedCapacity", TextTree("TOTAL"));
  DYNOLITH_ASSIGN_OR_RETURN(const std::string snapshot, TakeSafetySnapshot(call));
  WriteSeries series;
  int64_t deleted = 0;
  int64_t absent = 0;
  for (const JsonTree& key : call.arguments.Find("keys")->elements) {
    absl::StatusOr<JsonTree> answer = TypedArgument(call.arguments, key, "keys");
    if (answer.ok()) {
      SetMember(&input, "Key", *answer);
      answer = call.is_cancelled() ? absl::CancelledError(messages::McpCancelled())
                                   : call.backend->Call("DeleteItem", input);
    }
    if (!answer.ok()) {
      DYNOLITH_RETURN_IF_ERROR(series.End(answer.status()));
      break;
    }
    series.Count(ConsumedUnits(*answer));
    ++(answer->Find("Attributes") != nullptr ? deleted : absent);
  }
  JsonTree result = MapTree();
  SetMember(&result, "deleted", WholeTree(deleted));
  SetMember(&result, "absent", WholeTree(absent));
  series.Report(snapshot, &result);
  return ToolResult{std::move(result), ""};
}

absl::StatusOr<ToolResult> DeleteTable(const ToolCall& call) {
  DYNOLITH_ASSIGN_OR_RETURN(const JsonTree input, ServiceInput(call.arguments));
  DYNOLITH_ASSIGN_OR_RETURN(const std::string snapshot, TakeSafetySnapshot(call));
  DYNOLITH_ASSIGN_OR_RETURN(const JsonTree answer, call.backend->Call("DeleteTable", input));
  return TableResult(answer, snapshot);
}

}  // namespace dynolith::mcp
