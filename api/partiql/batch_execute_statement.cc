#include "api/partiql/batch_execute_statement.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include "api/partiql/execute_statement.h"
#include "api/partiql/messages.h"
#include "api/partiql/parsed_statement.h"
#include "api/partiql/statement_write.h"
#include "api/request/current_tables.h"
#include "api/table/table_gate.h"
#include "api/write/consumed_capacity.h"
#include "api/write/messages.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/partiql/statement.h"

namespace dynolith {
namespace {

using partiql::Statement;
using partiql::StatementKind;

using Parsed = std::vector<absl::StatusOr<std::unique_ptr<Statement>>>;

Parsed ParseAll(const OperationContext& context, const BatchExecuteStatementRequest& request) {
  Parsed parsed;
  for (const BatchStatementRequest& statement : request.statements) {
    if (!context.violations->Of(&statement).values.ok()) {
      parsed.push_back(context.violations->Of(&statement).values);
    } else {
      parsed.push_back(ParseStatement(context, statement.statement, statement.parameters));
    }
  }
  return parsed;
}

// The primary key that a statement is about, if it can be told.
std::optional<Item> KeyOfStatement(const KeySchema& key, const Statement& statement) {
  if (statement.kind != StatementKind::kInsert) return KeyFixedBy(key, statement);
  if (!HasKey(key, statement.item.view())) return std::nullopt;
  ItemBuilder builder;
  builder.BeginMap();
  for (const auto* attributes : {&key.hash, &key.range}) {
    for (const KeyAttribute& attribute : *attributes) {
      builder.Key(attribute.name);
      builder.Copy(*statement.item.Find(attribute.name));
    }
  }
  builder.EndMap();
  return builder.FinishItem();
}

// What is wrong with the batch as a whole: reads beside writes, or one item twice.
absl::Status CheckTogether(const OperationContext& context, const Parsed& parsed) {
  bool reads = false;
  bool writes = false;
  std::set<std::pair<std::string, std::string>> items;
  for (const auto& statement : parsed) {
    if (!statement.ok()) continue;
    ((*statement)->is_read() ? reads : writes) = true;
  }
  if (reads && writes) return ValidationError(messages::BatchMixesReadsAndWrites());
  for (const auto& statement : parsed) {
    if (!statement.ok()) continue;
    const std::shared_ptr<Table> table = context.catalog->Find((*statement)->table);
    if (table == nullptr) continue;
    const std::optional<Item> key = KeyOfStatement(table->meta()->schema.key, **statement);
    if (key && !items.emplace((*statement)->table, key->bytes()).second) {
      return ValidationError(messages::DuplicateKeys());
    }
  }
  return absl::OkStatus();
}

// A read in a batch is of one item, by its whole primary key.
absl::Status CheckSelect(const OperationContext& context, const Statement& statement) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                            FindUsableTable(context, statement.table));
  if (statement.index || !NamesKeyOnly(table->meta()->schema.key, statement)) {
    return ValidationError(messages::BatchSelectNeedsKey());
  }
  return absl::OkStatus();
}

absl::StatusOr<ExecuteStatementOutput> RunOne(
    const OperationContext& context, const BatchStatementRequest& request,
    const absl::StatusOr<std::unique_ptr<Statement>>& parsed, ReturnConsumedCapacity wanted) {
  if (!parsed.ok()) return parsed.status();
  if ((*parsed)->is_read()) DYNOLITH_RETURN_IF_ERROR(CheckSelect(context, **parsed));
  ExecuteStatementRequest single;
  single.statement = request.statement;
  single.parameters = request.parameters;
  single.consistent_read = request.consistent_read;
  single.return_consumed_capacity = wanted;
  single.return_values_on_condition_check_failure =
      request.return_values_on_condition_check_failure;
  return ExecuteStatement(context, single);
}

}  // namespace

absl::StatusOr<BatchExecuteStatementOutput> BatchExecuteStatement(
    const OperationContext& context, const BatchExecuteStatementRequest& request) {
  const Parsed parsed = ParseAll(context, request);
  DYNOLITH_RETURN_IF_ERROR(CheckTogether(context, parsed));
  BatchExecuteStatementOutput output;
  std::map<std::string, std::optional<ConsumedCapacity>> totals;
  for (size_t i = 0; i < parsed.size(); ++i) {
    BatchStatementResponse& response = output.responses.emplace_back();
    if (parsed[i].ok()) response.table_name = (*parsed[i])->table;
    if (context.left_out != nullptr && context.left_out->Has(&request.statements[i])) {
      response.error = context.left_out->why;
      continue;
    }
    // Each for itself: what has been done is not to be done again.
    auto result = OnCurrentTables(context, TablesUse::kRows, [&](const OperationContext& given) {
      return RunOne(given, request.statements[i], parsed[i], request.return_consumed_capacity);
    });
    if (!result.ok()) {
      response.error = result.status();
      continue;
    }
    if (!result->items.empty()) response.item = std::move(result->items[0]);
    if (const auto& part = result->consumed_capacity) {
      AddCapacity(part, &totals[part->table_name]);
    }
  }
  for (auto& [name, total] : totals) output.consumed_capacity.push_back(*std::move(total));
  return output;
}

}  // namespace dynolith
