#include "api/partiql/execute_transaction.h"

#include <algorithm>
#include <deque>
#include <unordered_set>
#include <vector>

#include "api/partiql/messages.h"
#include "api/partiql/parsed_statement.h"
#include "api/partiql/statement_read.h"
#include "api/partiql/statement_write.h"
#include "api/read/transact_get_items.h"
#include "api/table/table_gate.h"
#include "api/write/cancellation.h"
#include "api/write/messages.h"
#include "api/write/transaction.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/partiql/statement.h"

namespace dynolith {
namespace {

using partiql::Returning;
using partiql::Statement;
using partiql::StatementKind;

using Statements = std::vector<std::unique_ptr<Statement>>;

absl::Status Invalid(size_t position, std::string_view problem) {
  return ValidationError(messages::TransactionStatementInvalid(position, problem));
}

absl::StatusOr<Statements> ParseAll(const OperationContext& context,
                                    const ExecuteTransactionRequest& request) {
  Statements statements;
  for (const BatchStatementRequest& one : request.transact_statements) {
    DYNOLITH_RETURN_IF_ERROR(context.violations->Of(&one).values);
    auto statement = ParseStatement(context, one.statement, one.parameters);
    if (!statement.ok()) return Invalid(statements.size(), MessageOf(statement.status()));
    statements.push_back(*std::move(statement));
  }
  return statements;
}

// What can be said of the statements without their tables. EXISTS stands beside writes.
absl::Status CheckForms(const Statements& statements) {
  const auto is_read = [](const std::unique_ptr<Statement>& statement) {
    return statement->is_read();
  };
  const bool any_read = std::any_of(statements.begin(), statements.end(), is_read);
  if (any_read && !std::all_of(statements.begin(), statements.end(), is_read)) {
    return ValidationError(messages::TransactionMixesReadsAndWrites());
  }
  for (size_t i = 0; i < statements.size(); ++i) {
    if (statements[i]->returning != Returning::kNone) {
      return Invalid(i, messages::kTransactionReturning);
    }
    if (statements[i]->index) return Invalid(i, messages::kTransactionIndexRead);
  }
  return absl::OkStatus();
}

// Each statement is of one item; EXISTS also says something about it.
absl::Status CheckKeys(const Statement& statement, const KeySchema& key, size_t position) {
  const bool has_key =
      statement.kind == StatementKind::kInsert || KeyFixedBy(key, statement).has_value();
  if (statement.is_read() && !NamesKeyOnly(key, statement)) {
    return Invalid(position, messages::kTransactionSelectNeedsKey);
  }
  if (statement.kind == StatementKind::kExists &&
      (!has_key || statement.where.paths.size() <= key.size())) {
    return Invalid(position, messages::kTransactionExists);
  }
  return has_key ? absl::OkStatus() : Invalid(position, messages::KeyEqualityMissing());
}

// Reads are TransactGetItems by another name; the columns are selected from whole items.
absl::StatusOr<ExecuteTransactionOutput> RunReads(const OperationContext& context,
                                                  const ExecuteTransactionRequest& request,
                                                  const Statements& statements) {
  TransactGetItemsRequest gets;
  gets.return_consumed_capacity = request.return_consumed_capacity;
  for (size_t i = 0; i < statements.size(); ++i) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table,
                              FindUsableTable(context, statements[i]->table));
    const KeySchema& key = table->meta()->schema.key;
    DYNOLITH_RETURN_IF_ERROR(CheckKeys(*statements[i], key, i));
    TransactGet& get = gets.transact_items.emplace_back();
    get.table_name = statements[i]->table;
    get.key = *KeyFixedBy(key, *statements[i]);
  }
  DYNOLITH_ASSIGN_OR_RETURN(TransactGetItemsOutput read, TransactGetItems(context, gets));
  ExecuteTransactionOutput output;
  output.consumed_capacity = std::move(read.consumed_capacity);
  for (size_t i = 0; i < statements.size(); ++i) {
    std::optional<Item>& response = output.responses.emplace_back();
    if (read.responses[i]) response = SelectColumns(*statements[i], read.responses[i]->view());
  }
  return output;
}

std::string CanonicalBytes(const ExecuteTransactionRequest& request) {
  std::string bytes = "P";
  for (const BatchStatementRequest& one : request.transact_statements) {
    AppendCanonical(one.statement, &bytes);
    for (const Value& parameter : one.parameters) AppendCanonical(parameter.bytes(), &bytes);
  }
  return bytes;
}

absl::StatusOr<ExecuteTransactionOutput> RunWrites(const OperationContext& context,
                                                   const ExecuteTransactionRequest& request,
                                                   const Statements& statements) {
  TableGates gates;
  std::vector<size_t> positions;
  for (const auto& statement : statements) {
    DYNOLITH_ASSIGN_OR_RETURN(const size_t position, gates.Add(context, statement->table));
    positions.push_back(position);
  }
  DYNOLITH_RETURN_IF_ERROR(gates.Lock());
  if (gates.HasStrong()) return ValidationError(messages::TransactionOnStrongTable());
  std::deque<StatementWrite> planned;
  std::vector<RowWrite> writes;
  std::vector<std::string_view> names;
  std::unordered_set<std::string> rows;
  for (size_t i = 0; i < statements.size(); ++i) {
    const TableMeta& meta = gates.meta(positions[i]);
    DYNOLITH_RETURN_IF_ERROR(CheckKeys(*statements[i], meta.schema.key, i));
    StatementWrite& plan = planned.emplace_back();
    const RowWriteOptions options = {
        .returns_old_on_failure =
            request.transact_statements[i].return_values_on_condition_check_failure ==
            ReturnValuesOnConditionCheckFailure::kAllOld,
        .transactional = true};
    const absl::Status problem =
        PlanStatementWrite(gates.table(positions[i]), meta, *statements[i], options, &plan);
    if (!problem.ok()) return CancelledBy(i, statements.size(), problem);
    if (!rows.insert(plan.write.row_key).second) {
      return ValidationError(messages::TransactionOnOneItemTwice());
    }
    writes.push_back(plan.write);
    names.push_back(statements[i]->table);
  }
  DYNOLITH_ASSIGN_OR_RETURN(
      TransactWriteItemsOutput written,
      CommitTransaction(
          context,
          {.writes = writes,
           .table_names = names,
           .token = request.client_request_token ? &*request.client_request_token : nullptr,
           .canonical_request = CanonicalBytes(request),
           .return_consumed_capacity = request.return_consumed_capacity}));
  ExecuteTransactionOutput output;
  output.consumed_capacity = std::move(written.consumed_capacity);
  return output;
}

}  // namespace

absl::StatusOr<ExecuteTransactionOutput> ExecuteTransaction(
    const OperationContext& context, const ExecuteTransactionRequest& request) {
  DYNOLITH_ASSIGN_OR_RETURN(const Statements statements, ParseAll(context, request));
  DYNOLITH_RETURN_IF_ERROR(CheckForms(statements));
  const bool reads = statements[0]->is_read();
  return reads ? RunReads(context, request, statements) : RunWrites(context, request, statements);
}

}  // namespace dynolith
