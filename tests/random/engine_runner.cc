#include "tests/random/engine_runner.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <utility>

#include "api/database/database_impl.h"
#include "engine/base/errors.h"
#include "engine/history/past_items.h"
#include "engine/key/key_codec.h"
#include "engine/value/attachments.h"
#include "index/check_all.h"

namespace dynolith::random {
namespace {

using model::Outcome;

// Steps between two states that are remembered.
constexpr int kRememberEvery = 100;
void Require(const absl::Status& status, const std::string& what) {
  if (status.ok()) return;
  std::cerr << what << ": " << status << "\n";
  std::abort();
}

// --- Values, both ways.

Item ToEngine(const model::Item& item);

Value ToEngine(const model::Value& value) {
  if (const bool* boolean = value.As<bool>()) return Value::Bool(*boolean);
  if (const auto* number = value.As<model::Decimal>()) return *Value::ParseN(number->ToString());
  if (const auto* text = value.As<model::String>()) return Value::S(text->text);
  if (const auto* binary = value.As<model::Binary>()) return Value::B(binary->bytes);
  if (const auto* map = value.As<model::Map>()) return Value::M(ToEngine(*map));
  if (const auto* list = value.As<model::List>()) {
    std::vector<Value> elements;
    for (const model::Value& element : *list) elements.push_back(ToEngine(element));
    return Value::L(elements);
  }
  if (const auto* set = value.As<model::StringSet>()) {
    return Value::SS({set->members.begin(), set->members.end()});
  }
  if (const auto* set = value.As<model::BinarySet>()) {
    return Value::BS({set->members.begin(), set->members.end()});
  }
  if (const auto* set = value.As<model::NumberSet>()) {
    std::vector<Number> members;
    for (const auto& member : set->members) members.push_back(*Number::Parse(member.ToString()));
    return Value::NS(members);
  }
  return Value::Null();
}

Item ToEngine(const model::Item& item) {
  Item result;
  for (const auto& [name, value] : item) result.Set(name, ToEngine(value));
  return result;
}

model::Item ToModel(ItemView item);

model::Value ToModel(ValueView value) {
  switch (value.type()) {
    case Type::kNull:
      return {model::Null{}};
    case Type::kBool:
      return {value.boolean()};
    case Type::kNumber:
      return model::N(value.number().ToString());
    case Type::kString:
      return model::S(value.string());
    case Type::kBinary:
      return model::B(value.binary());
    case Type::kMap:
      return {ToModel(value.map())};
    default:
      break;
  }
  if (value.type() == Type::kList) {
    model::List list;
    for (size_t i = 0; i < value.list().size(); ++i) list.push_back(ToModel(value.list()[i]));
    return {list};
  }
  model::StringSet texts;
  model::BinarySet binaries;
  model::NumberSet numbers;
  for (size_t i = 0; i < value.set().size(); ++i) {
    const std::string member(value.set()[i]);
    texts.members.insert(member);
    binaries.members.insert(member);
    if (value.type() == Type::kNumberSet) {
      numbers.members.insert(model::Decimal(Number::Decode(member).ToString()));
    }
  }
  if (value.type() == Type::kNumberSet) return {numbers};
  if (value.type() == Type::kStringSet) return {texts};
  return {binaries};
}

model::Item ToModel(ItemView item) {
  model::Item result;
  for (size_t i = 0; i < item.size(); ++i) {
    result[std::string(item.name(i))] = ToModel(item.value(i));
  }
  return result;
}

// --- Schemas.

Type ToType(const std::string& name) { return *TypeFromName(name); }

std::vector<KeySchemaElement> KeySchemaOf(const std::vector<model::KeyAttribute>& hash,
                                          const std::vector<model::KeyAttribute>& range) {
  std::vector<KeySchemaElement> elements;
  for (const auto& attribute : hash) {
    elements.push_back({attribute.name, KeyType::kHash});
  }
  for (const auto& attribute : range) {
    elements.push_back({attribute.name, KeyType::kRange});
  }
  return elements;
}

SecondaryIndex ToEngine(const model::Index& index) {
  SecondaryIndex result{.index_name = index.name,
                        .key_schema = KeySchemaOf(index.hash, index.range)};
  result.projection.projection_type = ProjectionType::kAll;
  if (index.projection == model::Index::Projection::kKeysOnly) {
    result.projection.projection_type = ProjectionType::kKeysOnly;
  }
  if (index.projection == model::Index::Projection::kInclude) {
    result.projection.projection_type = ProjectionType::kInclude;
    result.projection.non_key_attributes = index.included;
  }
  return result;
}

void Define(const std::vector<model::KeyAttribute>& attributes,
            std::map<std::string, Type>* definitions) {
  for (const auto& attribute : attributes) (*definitions)[attribute.name] = ToType(attribute.type);
}

std::vector<AttributeDefinition> Definitions(const std::map<std::string, Type>& definitions) {
  std::vector<AttributeDefinition> result;
  for (const auto& [name, type] : definitions) {
    result.push_back({.attribute_name = name, .attribute_type = type});
  }
  return result;
}

// --- Requests and answers.

// Fills the names and values of a request.
template <typename Request>
void SetNames(const model::Placeholders& placeholders, Request* request) {
  if (placeholders.names().empty()) return;
  request->expression_attribute_names.emplace();
  for (const auto& [placeholder, name] : placeholders.names()) {
    request->expression_attribute_names->emplace_back(placeholder, name);
  }
}

template <typename Request>
void SetPlaceholders(const model::Placeholders& placeholders, Request* request) {
  SetNames(placeholders, request);
  if (!placeholders.values().empty()) {
    request->expression_attribute_values = ToEngine(placeholders.values());
  }
}

template <typename Request>
void SetCondition(const std::optional<model::Condition>& condition, bool old_on_failure,
                  model::Placeholders* placeholders, Request* request) {
  if (condition) request->condition_expression = Print(*condition, placeholders);
  if (old_on_failure) {
    request->return_values_on_condition_check_failure =
        ReturnValuesOnConditionCheckFailure::kAllOld;
  }
}

Outcome Failed(const absl::Status& status) {
  Outcome outcome;
  outcome.error = std::string(InfoOf(KindOf(status)).exception_name);
  // A fault of ours says what it is.
  if (KindOf(status) == ErrorKind::kInternalServerError) outcome.error += " " + status.ToString();
  if (const auto item = AttachedItem(status)) {
    outcome.attributes = ToModel(item->view());
  }
  return outcome;
}

Outcome Written(const absl::StatusOr<WriteOutput>& output) {
  if (!output.ok()) return Failed(output.status());
  Outcome outcome;
  if (output->attributes) outcome.attributes = ToModel(output->attributes->view());
  return outcome;
}

ReturnValues ToEngine(model::Returned returned) {
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

// The key condition: hash attributes from `schema`, in its order.
std::string KeyCondition(const model::ReadOp& op, const std::vector<model::KeyAttribute>& hash,
                         model::Placeholders* placeholders) {
  std::string text;
  for (size_t i = 0; i < hash.size(); ++i) {
    text += (text.empty() ? "" : " AND ") + placeholders->Name(hash[i].name) + " = " +
            placeholders->Literal(op.hash[i]);
  }
  for (const auto& [name, condition] : op.range) text += " AND " + Print(condition, placeholders);
  return text;
}

}  // namespace

EngineRunner::EngineRunner(Configuration configuration, const std::string& scratch,
                           const std::vector<model::Table>& tables)
    : configuration_(std::move(configuration)),
      folder_(scratch + "/" + configuration_.name),
      tables_(tables) {
  std::filesystem::remove_all(folder_);
  Open();
  for (const model::Table& table : tables) CreateTable(table);
}

EngineRunner::~EngineRunner() {
  database_.reset();
  std::filesystem::remove_all(folder_);
}

void EngineRunner::Open() {
  database_.reset();
  auto database = Database::Open({.path = folder_,
                                  .in_memory = configuration_.in_memory,
                                  .write_buffer_bytes = configuration_.write_buffer_bytes});
  Require(database.status(), "open " + folder_);
  database_ = std::move(*database);
}

void EngineRunner::CreateTable(const model::Table& table) {
  CreateTableRequest request{.table_name = table.name, .billing_mode = BillingMode::kPayPerRequest};
  std::map<std::string, Type> definitions;
  std::vector<model::KeyAttribute> range;
  if (table.range) range.push_back(*table.range);
  Define({table.hash}, &definitions);
  Define(range, &definitions);
  request.key_schema = KeySchemaOf({table.hash}, range);
  for (const model::Index& index : table.indexes) {
    Define(index.hash, &definitions);
    Define(index.range, &definitions);
    auto& list = index.local ? request.local_secondary_indexes : request.global_secondary_indexes;
    if (!list) list.emplace();
    list->push_back(ToEngine(index));
  }
  request.attribute_definitions = Definitions(definitions);
  if (configuration_.followed) {
    request.stream_specification = StreamSpecification{
        .stream_enabled = true, .stream_view_type = StreamViewType::kNewAndOldImages};
  }
  Require(database_->CreateTable(request).status(), "create " + table.name);
  if (configuration_.followed) FollowWrites(table);
}

void EngineRunner::FollowWrites(const model::Table& table) {
  Require(database_
              ->UpdateTimeToLive(
                  {.table_name = table.name,
                   .time_to_live_specification = {.enabled = true, .attribute_name = "n"}})
              .status(),
          "expire " + table.name);
  Require(
      database_
          ->UpdateContinuousBackups(
              {.table_name = table.name,
               .point_in_time_recovery_specification = {.point_in_time_recovery_enabled = true}})
          .status(),
      "recover " + table.name);
}

Outcome EngineRunner::Run(const model::Operation& operation) {
  ++steps_;
  if (configuration_.reopen_every > 0 && steps_ % configuration_.reopen_every == 0) Open();
  if (configuration_.followed && steps_ % kRememberEvery == 0) Remember();
  if (const auto* op = std::get_if<model::PutOp>(&operation)) return Put(*op);
  if (const auto* op = std::get_if<model::DeleteOp>(&operation)) return Delete(*op);
  if (const auto* op = std::get_if<model::UpdateOp>(&operation)) return Update(*op);
  if (const auto* op = std::get_if<model::GetOp>(&operation)) return Get(*op);
  if (const auto* op = std::get_if<model::BatchWriteOp>(&operation)) return BatchWrite(*op);
  if (const auto* op = std::get_if<model::BatchGetOp>(&operation)) return BatchGet(*op);
  if (const auto* op = std::get_if<model::ReadOp>(&operation)) return Read(*op);
  if (const auto* op = std::get_if<model::CreateIndexOp>(&operation)) return CreateIndex(*op);
  return DeleteIndex(std::get<model::DeleteIndexOp>(operation));
}

std::vector<std::string> EngineRunner::Check() {
  auto* impl = dynamic_cast<DatabaseImpl*>(database_.get());
  std::vector<std::string> disagreements;
  const auto report = [&](const std::string& line) { disagreements.push_back(line); };
  const auto checked = CheckAll(impl->store(), *impl->catalog(), report);
  Require(checked.status(), "check " + folder_);
  if (checked->rows.tables != tables_.size()) report("the check saw not every table");
  const bool saw_records =
      checked->streams.records > 0 && checked->expiry.rows > 0 && checked->history.records > 0;
  if (saw_records != configuration_.followed) report("the checks saw nothing that follows writes");
  CompareWithPast(&disagreements);
  return disagreements;
}

void EngineRunner::Remember() {
  auto* impl = dynamic_cast<DatabaseImpl*>(database_.get());
  Past past;
  past.time = impl->history()->Now();
  impl->history()->Await(past.time);
  for (const model::Table& table : tables_) {
    past.tables[table.name] = RowsOf(table.name, std::nullopt);
  }
  remembered_.push_back(std::move(past));
}

EngineRunner::Rows EngineRunner::RowsOf(const std::string& table, std::optional<absl::Time> time) {
  auto* impl = dynamic_cast<DatabaseImpl*>(database_.get());
  const StorageId id = impl->catalog()->Find(table)->meta()->schema.id;
  Rows rows;
  if (time) {
    const auto visit = [&](std::string_view row_key, ItemView item) {
      rows[std::string(row_key)] = item.bytes();
      return absl::OkStatus();
    };
    Require(VisitItemsAt(*impl->store(), *impl->store()->TakeSnapshot(), id, *time, visit),
            "past of " + table);
    return rows;
  }
  const KeyRange range = RangeOfId(id);
  Cursor cursor = impl->store()->Scan(Family::kTables, range.begin, range.end, Direction::kForward);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    rows[std::string(cursor.key())] = cursor.value();
  }
  Require(cursor.status(), "rows of " + table);
  return rows;
}

void EngineRunner::CompareWithPast(std::vector<std::string>* disagreements) {
  for (const Past& past : remembered_) {
    for (const auto& [table, rows] : past.tables) {
      if (RowsOf(table, past.time) == rows) continue;
      disagreements->push_back(table + " was not so at " + absl::FormatTime(past.time));
    }
  }
}

Outcome EngineRunner::Put(const model::PutOp& op) {
  PutItemRequest request{.table_name = op.table, .item = ToEngine(op.item)};
  model::Placeholders placeholders;
  SetCondition(op.condition, op.old_on_failure, &placeholders, &request);
  if (op.return_old) request.return_values = ReturnValues::kAllOld;
  SetPlaceholders(placeholders, &request);
  return Written(database_->PutItem(request));
}

Outcome EngineRunner::Delete(const model::DeleteOp& op) {
  DeleteItemRequest request{.table_name = op.table, .key = ToEngine(op.key)};
  model::Placeholders placeholders;
  SetCondition(op.condition, op.old_on_failure, &placeholders, &request);
  if (op.return_old) request.return_values = ReturnValues::kAllOld;
  SetPlaceholders(placeholders, &request);
  return Written(database_->DeleteItem(request));
}

Outcome EngineRunner::Update(const model::UpdateOp& op) {
  UpdateItemRequest request{.table_name = op.table, .key = ToEngine(op.key)};
  model::Placeholders placeholders;
  const std::string update = Print(op.update, &placeholders);
  if (!update.empty()) request.update_expression = update;
  SetCondition(op.condition, op.old_on_failure, &placeholders, &request);
  request.return_values = ToEngine(op.returned);
  SetPlaceholders(placeholders, &request);
  return Written(database_->UpdateItem(request));
}

Outcome EngineRunner::Get(const model::GetOp& op) {
  GetItemRequest request{.table_name = op.table, .key = ToEngine(op.key)};
  model::Placeholders placeholders;
  if (!op.projection.empty()) request.projection_expression = Print(op.projection, &placeholders);
  SetNames(placeholders, &request);
  const auto output = database_->GetItem(request);
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
  const auto output =
      database_->BatchWriteItem({.request_items = {by_table.begin(), by_table.end()}});
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
  const auto output = database_->BatchGetItem(request);
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
    const model::Table* table = nullptr;
    for (const model::Table& known : tables_) {
      if (known.name == op.table) table = &known;
    }
    const model::Index* index = op.index.empty() ? nullptr : FindIndex(*table, op.index);
    query.key_condition_expression = KeyCondition(
        op, index ? index->hash : std::vector<model::KeyAttribute>{table->hash}, &placeholders);
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
    const auto page = op.is_query ? database_->Query(query) : database_->Scan(scan);
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

Outcome EngineRunner::CreateIndex(const model::CreateIndexOp& op) {
  std::map<std::string, Type> definitions;
  Define(op.index.hash, &definitions);
  Define(op.index.range, &definitions);
  const auto output = database_->UpdateTable(
      {.table_name = op.table,
       .attribute_definitions = Definitions(definitions),
       .global_secondary_index_updates = {{{.create = ToEngine(op.index)}}}});
  if (!output.ok()) return Failed(output.status());
  Require(database_->WaitForBackfills(), "backfill");
  for (model::Table& table : tables_) {
    if (table.name == op.table) table.indexes.push_back(op.index);
  }
  return {};
}

Outcome EngineRunner::DeleteIndex(const model::DeleteIndexOp& op) {
  const auto output = database_->UpdateTable(
      {.table_name = op.table,
       .global_secondary_index_updates = {{{.delete_index_name = op.index}}}});
  if (!output.ok()) return Failed(output.status());
  for (model::Table& table : tables_) {
    if (table.name != op.table) continue;
    std::erase_if(table.indexes, [&](const model::Index& index) { return index.name == op.index; });
  }
  return {};
}

}  // namespace dynolith::random
