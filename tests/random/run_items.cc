// Reads and writes of items on the engine.
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/random/engine_runner.h"
#include "tests/random/request_parts.h"

namespace dynolith::random {

using model::Outcome;

namespace {

Outcome Written(const absl::StatusOr<WriteOutput>& output) {
  if (!output.ok()) return Failed(output.status());
  Outcome outcome;
  if (output->attributes) outcome.attributes = ToModel(output->attributes->view());
  return outcome;
}

ReturnValues ToReturnValues(model::Returned returned) {
  static const std::map<model::Returned, ReturnValues> values = {
      {model::Returned::kNone, ReturnValues::kNone},
      {model::Returned::kAllOld, ReturnValues::kAllOld},
      {model::Returned::kUpdatedOld, ReturnValues::kUpdatedOld},
      {model::Returned::kAllNew, ReturnValues::kAllNew},
      {model::Returned::kUpdatedNew, ReturnValues::kUpdatedNew}};
  return values.at(returned);
}

// What Query and Scan share.
template <typename Request>
void SetShape(const model::ReadOp& op, model::Placeholders* placeholders, Request* request) {
  request->table_name = op.table;
  if (!op.index.empty()) request->index_name = op.index;
  request->limit = op.limit;
  if (op.filter) request->filter_expression = Print(*op.filter, placeholders);
  if (!op.projection.empty()) request->projection_expression = Print(op.projection, placeholders);
  if (op.count_only) request->select = Select::kCount;
  if (op.all_attributes) request->select = Select::kAllAttributes;
  SetPlaceholders(*placeholders, request);
}

std::string KeyCondition(const model::ReadOp& op, model::Placeholders* placeholders) {
  std::string text;
  for (const auto& [name, value] : op.hash) {
    text += (text.empty() ? "" : " AND ") + placeholders->Name(name) + " = ";
    text += placeholders->Literal(value);
  }
  for (const auto& [name, condition] : op.range) text += " AND " + Print(condition, placeholders);
  return text;
}

}  // namespace

Outcome EngineRunner::Put(const model::PutOp& op) {
  PutItemRequest request{.table_name = op.table, .item = ToEngine(op.item)};
  model::Placeholders placeholders;
  SetCondition(op.condition, op.old_on_failure, &placeholders, &request);
  if (op.return_old) request.return_values = ReturnValues::kAllOld;
  SetPlaceholders(placeholders, &request);
  return Written(Call("PutItem", &Database::PutItem, request));
}

Outcome EngineRunner::Delete(const model::DeleteOp& op) {
  DeleteItemRequest request{.table_name = op.table, .key = ToEngine(op.key)};
  model::Placeholders placeholders;
  SetCondition(op.condition, op.old_on_failure, &placeholders, &request);
  if (op.return_old) request.return_values = ReturnValues::kAllOld;
  SetPlaceholders(placeholders, &request);
  return Written(Call("DeleteItem", &Database::DeleteItem, request));
}

Outcome EngineRunner::Update(const model::UpdateOp& op) {
  UpdateItemRequest request{.table_name = op.table, .key = ToEngine(op.key)};
  model::Placeholders placeholders;
  const std::string update = Print(op.update, &placeholders);
  if (!update.empty()) request.update_expression = update;
  SetCondition(op.condition, op.old_on_failure, &placeholders, &request);
  request.return_values = ToReturnValues(op.returned);
  SetPlaceholders(placeholders, &request);
  return Written(Call("UpdateItem", &Database::UpdateItem, request));
}

Outcome EngineRunner::Get(const model::GetOp& op) {
  GetItemRequest request{.table_name = op.table, .key = ToEngine(op.key)};
  model::Placeholders placeholders;
  if (!op.projection.empty()) request.projection_expression = Print(op.projection, &placeholders);
  SetNames(placeholders, &request);
  const auto output = Call<GetItemRequest, GetItemOutput>("GetItem", &Database::GetItem, request);
  if (!output.ok()) return Failed(output.status());
  Outcome outcome;
  if (output->item) outcome.attributes = ToModel(output->item->view());
  return outcome;
}

Outcome EngineRunner::BatchWrite(const model::BatchWriteOp& op) {
  std::map<std::string, std::vector<WriteRequest>> by_table;
  for (const auto& write : op.writes) {
    WriteRequest request;
    if (write.put) {
      request.put = ToEngine(*write.put);
    } else {
      request.delete_key = ToEngine(write.delete_key);
    }
    by_table[write.table].push_back(std::move(request));
  }
  const BatchWriteItemRequest request{.request_items = {by_table.begin(), by_table.end()}};
  const auto output = Call("BatchWriteItem", &Database::BatchWriteItem, request);
  if (!output.ok()) return Failed(output.status());
  Outcome outcome;
  if (!output->unprocessed_items.empty()) outcome.error = "unprocessed items";
  return outcome;
}

Outcome EngineRunner::BatchGet(const model::BatchGetOp& op) {
  BatchGetItemRequest request;
  for (const auto& [table, keys] : op.keys) {
    KeysAndAttributes wanted;
    for (const model::Item& key : keys) wanted.keys.push_back(ToEngine(key));
    request.request_items.emplace_back(table, std::move(wanted));
  }
  const auto output = Call("BatchGetItem", &Database::BatchGetItem, request);
  if (!output.ok()) return Failed(output.status());
  Outcome outcome;
  std::map<std::string, std::vector<model::Item>> by_table;
  for (const auto& [table, items] : output->responses) {
    by_table[table] = {};
    for (const Item& item : items) by_table[table].push_back(ToModel(item.view()));
  }
  for (const auto& [table, items] : by_table) outcome.groups.push_back(items);
  return outcome;
}

Outcome EngineRunner::Read(const model::ReadOp& op) {
  if (op.is_query) return ReadPages(op, 0);
  Outcome all;
  for (int segment = 0; segment < op.total_segments; ++segment) {
    const Outcome part = ReadPages(op, segment);
    if (!part.error.empty()) return part;
    all.groups.insert(all.groups.end(), part.groups.begin(), part.groups.end());
    all.count += part.count;
    all.scanned += part.scanned;
    all.pages += part.pages;
  }
  if (op.total_segments > 1) all.pages = 0;
  return all;
}

Outcome EngineRunner::ReadPages(const model::ReadOp& op, int segment) {
  QueryRequest query;
  ScanRequest scan;
  model::Placeholders placeholders;
  if (op.is_query) {
    query.key_condition_expression = KeyCondition(op, &placeholders);
    query.scan_index_forward = op.forward;
    SetShape(op, &placeholders, &query);
  } else {
    SetShape(op, &placeholders, &scan);
    if (op.total_segments > 1) {
      scan.total_segments = op.total_segments;
      scan.segment = segment;
    }
  }
  Outcome outcome;
  constexpr int kPagesMax = 100'000;
  while (outcome.pages < kPagesMax) {
    const auto page = op.is_query ? Call<QueryRequest, PageOutput>("Query", &Database::Query, query)
                                  : Call<ScanRequest, PageOutput>("Scan", &Database::Scan, scan);
    if (!page.ok()) return Failed(page.status());
    ++outcome.pages;
    outcome.count += static_cast<int>(page->count);
    outcome.scanned += static_cast<int>(page->scanned_count);
    for (const Item& item : page->items) outcome.groups.push_back({ToModel(item.view())});
    if (!page->last_evaluated_key) return outcome;
    query.exclusive_start_key = page->last_evaluated_key;
    scan.exclusive_start_key = page->last_evaluated_key;
  }
  outcome.error = "endless pages";
  return outcome;
}

}  // namespace dynolith::random
