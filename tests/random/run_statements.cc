// Statements, transactions and searches on the engine.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/json/json_writer.h"
#include "index/graph/vector_graphs.h"
#include "tests/random/engine_runner.h"
#include "tests/random/request_parts.h"

namespace dynolith::random {

using model::Outcome;
using model::Placeholders;

namespace {

std::string Quoted(const std::string& name) { return '"' + name + '"'; }

std::string KeyText(const model::Item& key, Placeholders* placeholders) {
  std::string text;
  for (const auto& [name, value] : key) {
    text += (text.empty() ? "" : " AND ") + Quoted(name) + " = " + placeholders->Literal(value);
  }
  return text;
}

std::string Where(const model::Item& key, const std::optional<model::Condition>& condition,
                  Placeholders* placeholders) {
  std::string text = " WHERE " + KeyText(key, placeholders);
  if (condition) text += " AND (" + Print(*condition, placeholders) + ")";
  return text;
}

std::string ColumnsText(const std::vector<model::Path>& columns, Placeholders* placeholders) {
  return columns.empty() ? "*" : Print(columns, placeholders);
}

std::string Returning(model::Returned returned) {
  switch (returned) {
    case model::Returned::kNone:
      return "";
    case model::Returned::kAllOld:
      return " RETURNING ALL OLD *";
    case model::Returned::kUpdatedOld:
      return " RETURNING MODIFIED OLD *";
    case model::Returned::kAllNew:
      return " RETURNING ALL NEW *";
    case model::Returned::kUpdatedNew:
      break;
  }
  return " RETURNING MODIFIED NEW *";
}

std::string SelectText(const model::ReadOp& op, Placeholders* placeholders) {
  std::string text =
      "SELECT " + ColumnsText(op.projection, placeholders) + " FROM " + Quoted(op.table);
  if (!op.index.empty()) text += "." + Quoted(op.index);
  std::string where;
  const auto add = [&](const std::string& part) { where += (where.empty() ? "" : " AND ") + part; };
  for (const auto& [name, value] : op.hash) {
    add(Quoted(name) + " = " + placeholders->Literal(value));
  }
  for (const auto& [name, condition] : op.range) add(Print(condition, placeholders));
  if (op.filter) add("(" + Print(*op.filter, placeholders) + ")");
  if (!where.empty()) text += " WHERE " + where;
  if (!op.forward) text += " ORDER BY " + Quoted(op.range.back().first) + " DESC";
  return text;
}

std::string StatementText(const model::Sentence& sentence, Placeholders* placeholders) {
  if (const auto* put = std::get_if<model::PutOp>(&sentence)) {
    const std::string item = placeholders->Literal(model::Value{put->item});
    return "INSERT INTO " + Quoted(put->table) + " VALUE " + item;
  }
  if (const auto* del = std::get_if<model::DeleteOp>(&sentence)) {
    const std::string where = Where(del->key, del->condition, placeholders);
    return "DELETE FROM " + Quoted(del->table) + where +
           (del->return_old ? " RETURNING ALL OLD *" : "");
  }
  if (const auto* update = std::get_if<model::UpdateOp>(&sentence)) {
    const std::string clauses = PrintClauses(update->update, placeholders);
    const std::string where = Where(update->key, update->condition, placeholders);
    return "UPDATE " + Quoted(update->table) + clauses + where + Returning(update->returned);
  }
  if (const auto* check = std::get_if<model::CheckOp>(&sentence)) {
    return "EXISTS(SELECT * FROM " + Quoted(check->table) +
           Where(check->key, check->condition, placeholders) + ")";
  }
  if (const auto* get = std::get_if<model::GetOp>(&sentence)) {
    const std::string columns = ColumnsText(get->projection, placeholders);
    return "SELECT " + columns + " FROM " + Quoted(get->table) +
           Where(get->key, std::nullopt, placeholders);
  }
  return SelectText(std::get<model::ReadOp>(sentence), placeholders);
}

bool WantsOldOnFailure(const model::Sentence& sentence) {
  const auto wants = [](const auto& op) {
    if constexpr (requires { op.old_on_failure; }) return op.old_on_failure;
    return false;
  };
  return std::visit(wants, sentence);
}

// Fills text, parameters and what a failure returns.
template <typename Request>
Request ToStatement(const model::Sentence& sentence) {
  Request request;
  Placeholders placeholders(Placeholders::Language::kPartiQl);
  request.statement = StatementText(sentence, &placeholders);
  for (const model::Value& value : placeholders.parameters()) {
    request.parameters.push_back(ToEngine(value));
  }
  if (WantsOldOnFailure(sentence)) {
    request.return_values_on_condition_check_failure = ReturnValuesOnConditionCheckFailure::kAllOld;
  }
  return request;
}

// No token goes on beside a list or a map.
bool PagesCanGoOn(const ExecuteStatementRequest& request) {
  return std::none_of(request.parameters.begin(), request.parameters.end(), [](const Value& value) {
    return value.type() == Type::kList || value.type() == Type::kMap;
  });
}

TransactAction ActionOn(const std::string& table, const model::Item& item,
                        const std::optional<model::Condition>& condition, bool old_on_failure,
                        const model::Update* update) {
  TransactAction action{.table_name = table, .item = ToEngine(item)};
  Placeholders placeholders;
  if (update) action.update_expression = Print(*update, &placeholders);
  SetCondition(condition, old_on_failure, &placeholders, &action);
  SetPlaceholders(placeholders, &action);
  return action;
}

TransactWriteItem ToAction(const model::Sentence& sentence) {
  if (const auto* put = std::get_if<model::PutOp>(&sentence)) {
    return {.put = ActionOn(put->table, put->item, put->condition, put->old_on_failure, nullptr)};
  }
  if (const auto* del = std::get_if<model::DeleteOp>(&sentence)) {
    return {.delete_item =
                ActionOn(del->table, del->key, del->condition, del->old_on_failure, nullptr)};
  }
  if (const auto* update = std::get_if<model::UpdateOp>(&sentence)) {
    return {.update = ActionOn(update->table, update->key, update->condition,
                               update->old_on_failure, &update->update)};
  }
  const auto& check = std::get<model::CheckOp>(sentence);
  return {.condition_check =
              ActionOn(check.table, check.key, check.condition, check.old_on_failure, nullptr)};
}

Outcome Responses(const std::vector<std::optional<Item>>& responses) {
  Outcome outcome;
  for (const std::optional<Item>& response : responses) {
    outcome.groups.emplace_back();
    if (response) outcome.groups.back().push_back(ToModel(response->view()));
  }
  return outcome;
}

// By hand, since the vector of the request is read by hand, too.
std::string ToJson(const SearchVectorsRequest& request) {
  std::string text;
  JsonWriter writer(&text);
  const auto member = [&](const char* name, const std::string& value) {
    writer.Key(name);
    writer.String(value);
  };
  writer.BeginObject();
  member("TableName", request.table_name);
  member("IndexName", request.index_name);
  writer.Key("SearchVector");
  writer.BeginArray();
  for (const float number : request.search_vector) {
    writer.BeginObject();
    member("N", std::to_string(static_cast<int>(number)));
    writer.EndObject();
  }
  writer.EndArray();
  if (request.return_consumed_capacity == ReturnConsumedCapacity::kTotal) {
    member("ReturnConsumedCapacity", "TOTAL");
  } else if (request.return_consumed_capacity == ReturnConsumedCapacity::kIndexes) {
    member("ReturnConsumedCapacity", "INDEXES");
  }
  writer.Key("TopK");
  writer.Integer(request.top_k);
  if (request.search_condition_expression) {
    member("SearchConditionExpression", *request.search_condition_expression);
    writer.Key("ExpressionAttributeNames");
    writer.BeginObject();
    for (const auto& [placeholder, name] : *request.expression_attribute_names) {
      member(placeholder.c_str(), name);
    }
    writer.EndObject();
    writer.Key("ExpressionAttributeValues");
    writer.Item(request.expression_attribute_values->view());
  }
  writer.EndObject();
  return text;
}

}  // namespace

Outcome EngineRunner::Say(const model::StatementOp& op) {
  auto request = ToStatement<ExecuteStatementRequest>(op.sentence);
  const auto* const read = std::get_if<model::ReadOp>(&op.sentence);
  if (read != nullptr && PagesCanGoOn(request)) request.limit = read->limit;
  Outcome outcome;
  do {
    const auto output = Call("ExecuteStatement", &Database::ExecuteStatement, request);
    if (!output.ok()) return Failed(output.status());
    ++outcome.pages;
    for (const Item& item : output->items) outcome.groups.push_back({ToModel(item.view())});
    request.next_token = output->next_token;
  } while (request.next_token);
  return outcome;
}

Outcome EngineRunner::SayAll(const model::BatchStatementOp& op) {
  BatchExecuteStatementRequest request;
  for (const model::Sentence& sentence : op.sentences) {
    request.statements.push_back(ToStatement<BatchStatementRequest>(sentence));
  }
  const auto output = Call("BatchExecuteStatement", &Database::BatchExecuteStatement, request);
  if (!output.ok()) return Failed(output.status());
  Outcome outcome;
  for (const BatchStatementResponse& response : output->responses) {
    Outcome& part = outcome.parts.emplace_back();
    if (!response.error.ok()) part = Failed(response.error);
    if (response.item) part.attributes = ToModel(response.item->view());
  }
  return outcome;
}

Outcome EngineRunner::Transact(const model::TransactOp& op) {
  if (op.as_statements) {
    ExecuteTransactionRequest request;
    for (const model::Sentence& action : op.actions) {
      request.transact_statements.push_back(ToStatement<BatchStatementRequest>(action));
    }
    const auto output = Call("ExecuteTransaction", &Database::ExecuteTransaction, request);
    return output.ok() ? Responses(output->responses) : Failed(output.status());
  }
  if (std::holds_alternative<model::GetOp>(op.actions[0])) return TransactGets(op);
  TransactWriteItemsRequest request;
  for (const model::Sentence& action : op.actions) {
    request.transact_items.push_back(ToAction(action));
  }
  const auto output = Call("TransactWriteItems", &Database::TransactWriteItems, request);
  return output.ok() ? Outcome() : Failed(output.status());
}

Outcome EngineRunner::TransactGets(const model::TransactOp& op) {
  TransactGetItemsRequest request;
  for (const model::Sentence& action : op.actions) {
    const auto& get = std::get<model::GetOp>(action);
    TransactGet& wanted = request.transact_items.emplace_back();
    wanted.table_name = get.table;
    wanted.key = ToEngine(get.key);
    Placeholders placeholders;
    if (!get.projection.empty()) {
      wanted.projection_expression = Print(get.projection, &placeholders);
    }
    SetNames(placeholders, &wanted);
  }
  const auto output = Call("TransactGetItems", &Database::TransactGetItems, request);
  return output.ok() ? Responses(output->responses) : Failed(output.status());
}

Outcome EngineRunner::Search(const model::SearchOp& op) {
  SearchVectorsRequest request{.table_name = op.table, .index_name = op.index};
  request.search_vector.assign(op.vector.begin(), op.vector.end());
  request.top_k = op.top_k;
  Placeholders placeholders;
  std::string text;
  if (op.hash) {
    text = placeholders.Name(op.hash->first) + " = " + placeholders.Literal(op.hash->second);
  }
  for (const model::Condition& filter : op.filters) {
    text += (text.empty() ? "" : " AND ") + Print(filter, &placeholders);
  }
  if (!text.empty()) request.search_condition_expression = text;
  SetPlaceholders(placeholders, &request);
  request.return_consumed_capacity = configuration_.told;
  const std::string body = ToJson(request);
  if (record_) record_->push_back({"SearchVectors", body});
  if (configuration_.awaits_graphs) graphs()->WaitUntilIdle();
  SearchVectorsOutput over_wire;
  const auto call = [&]() -> absl::StatusOr<SearchVectorsOutput> {
    if (!configuration_.over_wire) return database_->SearchVectors(request);
    const absl::Status status = CallBody(database_.get(), "SearchVectors", body, &over_wire);
    if (!status.ok()) return status;
    return over_wire;
  };
  const absl::StatusOr<SearchVectorsOutput> output = call();
  if (!output.ok()) return Failed(output.status());
  AddUnits(output->consumed_capacity, &units_);
  Outcome outcome;
  outcome.count = static_cast<int>(output->search_results.size());
  for (const SearchResult& result : output->search_results) {
    outcome.groups.push_back({{{"item", model::Value{ToModel(result.item.view())}},
                               {"score", model::S(model::ScoreText(result.score))}}});
  }
  return outcome;
}

}  // namespace dynolith::random
