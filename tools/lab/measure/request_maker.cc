#include "tools/lab/measure/request_maker.h"

#include <algorithm>
#include <utility>

#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/value/number.h"

namespace dynolith::lab {
namespace {

constexpr ReturnConsumedCapacity kConsumed = ReturnConsumedCapacity::kIndexes;

// Random letters, which compress no better than real items.
const std::string& Filler() {
  static const std::string* const filler = [] {
    auto* const text = new std::string(2 * kItemBytesMax, ' ');
    uint64_t random = 1;
    for (char& c : *text) c = static_cast<char>('a' + NextBelow(&random, 26));
    return text;
  }();
  return *filler;
}

std::string FieldName(int64_t field) { return Concat("field", field); }

std::string LocalName(int64_t local) { return Concat("local", local); }

// The value of field `field` of `fields`, which together take `bytes`.
Value FieldValue(int64_t bytes, int64_t field, int64_t fields, size_t at) {
  const int64_t each = bytes / fields + (field < bytes % fields ? 1 : 0);
  return Value::S(
      std::string_view(Filler()).substr(at % kItemBytesMax, std::max<int64_t>(1, each)));
}

// The bytes of an item that are left for the values of its fields after its other attributes.
int64_t BytesForFields(const Item& item, int64_t bytes, int64_t fields) {
  auto left = bytes - static_cast<int64_t>(BilledBytes(item.view()));
  for (int64_t i = 0; i < fields; ++i) left -= static_cast<int64_t>(FieldName(i).size());
  return std::max(left, fields);
}

// A condition that fails, if that is planned, since no item has this attribute.
std::optional<std::string> MakeCondition(const PlannedItem& item) {
  const bool fails =
      std::any_of(item.uses.begin(), item.uses.end(), [](const LabUse& use) { return use.fails; });
  return fails ? std::optional<std::string>("attribute_exists(absent)") : std::nullopt;
}

std::string ShortName(size_t number) { return Concat("#n", number); }
std::string ShortValue(size_t number) { return Concat(":v", number); }

}  // namespace

std::string IndexAttribute(const IndexDesign& index) {
  return index.shards == 1 ? index.partition_key.attribute
                           : Concat(index.name, ".", index.partition_key.attribute);
}

Value ToKeyValue(Type type, const std::string& text) {
  if (type == Type::kBinary) return Value::B(text);
  if (type == Type::kString) return Value::S(text);
  absl::StatusOr<Value> number = Value::ParseN(text);
  return number.ok() ? *std::move(number) : Value::N(0);
}

RequestMaker::RequestMaker(const Experiment& experiment, const std::vector<std::string>& tables,
                           const KeyGenerators& generators, uint64_t seed)
    : experiment_(experiment), tables_(tables) {
  for (const Access& access : experiment.accesses) {
    plans_.emplace_back(experiment, access, generators, NextRandom(&seed));
  }
}

// --- requests

std::vector<PlannedCall> RequestMaker::Request(size_t at, Micros now) {
  AccessPlan& plan = plans_[at];
  const Access& access = plan.access();
  std::vector<PlannedCall> calls;
  if (access.gathers) {
    plan.EachShard(now, [&](LabUses* uses) {
      calls.push_back(CallFor(at));
      calls.back().items.push_back(MakeItem(access, plan.drawn(), *uses, false));
    });
    // Each shard holds a part.
    const auto shards = static_cast<int64_t>(calls.size());
    for (PlannedCall& call : calls) {
      call.query_items = (plan.drawn_items() + shards - 1) / shards;
    }
    return calls;
  }
  PlannedCall call = CallFor(at);
  LabUses uses;
  plan.EachItem(now, &uses, [&](const AccessPlan& of) {
    if (access.then) {
      LabUses write(uses.begin() + 1, uses.end());
      call.write =
          MakeItem(access, plan.drawn(), std::move(write), *access.then == Operation::kPutItem);
      uses.resize(1);
    }
    const bool is_put = IsWrite(of.access().operation) &&
                        of.access().operation != Operation::kUpdateItem &&
                        of.access().operation != Operation::kDeleteItem;
    LabUses own(uses.begin(), uses.end());
    uses.clear();
    PlannedItem item = MakeItem(of.access(), of.drawn(), std::move(own), is_put);
    // The service refuses a batch that names a key twice, so programs ask for it once.
    const Item key = TableKey(item.table, item.item);
    const bool is_there =
        std::any_of(call.items.begin(), call.items.end(), [&](const PlannedItem& other) {
          return other.table == item.table && TableKey(other.table, other.item) == key;
        });
    if (!is_there) call.items.push_back(std::move(item));
  });
  if (access.operation == Operation::kQuery) call.query_items = plan.drawn_items();
  calls.push_back(std::move(call));
  return calls;
}

std::vector<PlannedCall> RequestMaker::BeginScan(size_t at) const {
  std::vector<PlannedCall> calls;
  for (int64_t i = 0; i < experiment_.accesses[at].segments; ++i) {
    calls.push_back(CallFor(at));
    calls.back().segment = i;
  }
  return calls;
}

PlannedCall RequestMaker::CallFor(size_t at) const {
  const Access& access = experiment_.accesses[at];
  return {.operation = access.operation,
          .access = at,
          .table = access.table,
          .index = access.index,
          .consistency = access.consistency};
}

PlannedItem RequestMaker::MakeItem(const Access& access, const DrawnItem& drawn, LabUses uses,
                                   bool is_whole) const {
  const TableDesign& table = experiment_.tables[access.table];
  PlannedItem planned{.table = access.table, .bytes = drawn.bytes};
  if (is_whole) {
    planned.item = WholeItem(access.table, drawn.keys, 0);
  } else {
    for (const KeyValue& key : drawn.keys) {
      planned.item.Set(key.attribute, ToKeyValue(key.type, key.text));
    }
  }
  AddIndexKeys(table, uses, &planned.item);
  if (is_whole) {
    planned.item = WholeItem(access.table, drawn.keys, drawn.bytes);
    AddIndexKeys(table, uses, &planned.item);
  }
  planned.uses = std::move(uses);
  planned.action = is_whole ? Operation::kPutItem : access.operation;
  planned.only_checks = access.only_checks;
  return planned;
}

// The keys of sharded indexes come from the uses, which contain the suffix.
void RequestMaker::AddIndexKeys(const TableDesign& table, const LabUses& uses, Item* item) const {
  const std::vector<ResourceDesign> resources = ResourceDesigns(experiment_);
  for (const LabUse& use : uses) {
    const std::optional<size_t> index = resources[use.resource].index;
    if (!index || table.indexes[*index].shards == 1) continue;
    const IndexDesign& design = table.indexes[*index];
    item->Set(IndexAttribute(design), ToKeyValue(table.FindType(design.partition_key.attribute),
                                                 use.texts->ToText(use.key)));
  }
}

Item RequestMaker::WholeItem(size_t at, const std::vector<KeyValue>& keys, int64_t bytes) const {
  const TableDesign& table = experiment_.tables[at];
  Item item;
  for (const KeyValue& key : keys) item.Set(key.attribute, ToKeyValue(key.type, key.text));
  // Without a sort key, the first item is meant.
  if (table.sort_key && !item.Find(table.sort_key->attribute)) {
    item.Set(table.sort_key->attribute, ToKeyValue(table.sort_key->type, "0"));
  }
  for (int64_t i = 0; i < table.local_indexes; ++i) item.Set(LocalName(i), Value::N(i));
  if (bytes == 0) return item;
  const int64_t left = BytesForFields(item, bytes, table.fields);
  for (int64_t i = 0; i < table.fields; ++i) {
    item.Set(FieldName(i), FieldValue(left, i, table.fields, item.bytes().size() * 31));
  }
  return item;
}

// --- calls

Item RequestMaker::TableKey(size_t at, const Item& item) const {
  const TableDesign& table = experiment_.tables[at];
  Item key;
  const auto add = [&](const KeyPart& part) {
    const std::optional<ValueView> value = item.Find(part.attribute);
    key.Set(part.attribute, value ? Value::Copy(*value) : ToKeyValue(part.type, "0"));
  };
  add(table.partition_key);
  if (table.sort_key) add(*table.sort_key);
  return key;
}

ServiceCall RequestMaker::MakeCall(const PlannedCall& planned) const {
  const std::string& name = tables_[planned.table];
  const bool is_strong = planned.consistency == ReadMode::kStrong;
  const auto key_of = [&](const PlannedItem& item) { return TableKey(item.table, item.item); };
  switch (planned.operation) {
    case Operation::kGetItem:
      return GetItemRequest{.table_name = name,
                            .key = key_of(planned.items.front()),
                            .consistent_read = is_strong,
                            .return_consumed_capacity = kConsumed};
    case Operation::kBatchGetItem: {
      KeysAndAttributes keys{.consistent_read = is_strong};
      for (const PlannedItem& item : planned.items) keys.keys.push_back(key_of(item));
      return BatchGetItemRequest{.request_items = {{name, std::move(keys)}},
                                 .return_consumed_capacity = kConsumed};
    }
    case Operation::kTransactGetItems: {
      TransactGetItemsRequest request{.return_consumed_capacity = kConsumed};
      for (const PlannedItem& item : planned.items) {
        request.transact_items.push_back({.table_name = tables_[item.table], .key = key_of(item)});
      }
      return request;
    }
    case Operation::kQuery:
      return MakeQuery(planned);
    case Operation::kScan:
      return MakeScan(planned);
    case Operation::kPutItem:
      return PutItemRequest{.table_name = name,
                            .item = planned.items.front().item,
                            .return_consumed_capacity = kConsumed,
                            .condition_expression = MakeCondition(planned.items.front())};
    case Operation::kUpdateItem:
      return MakeUpdate(planned.items.front());
    case Operation::kDeleteItem:
      return DeleteItemRequest{.table_name = name,
                               .key = key_of(planned.items.front()),
                               .return_consumed_capacity = kConsumed,
                               .condition_expression = MakeCondition(planned.items.front())};
    case Operation::kBatchWriteItem: {
      std::vector<WriteRequest> writes;
      for (const PlannedItem& item : planned.items) writes.push_back({.put = item.item});
      return BatchWriteItemRequest{.request_items = {{name, std::move(writes)}},
                                   .return_consumed_capacity = kConsumed};
    }
    case Operation::kTransactWriteItems: {
      TransactWriteItemsRequest request{.return_consumed_capacity = kConsumed};
      for (const PlannedItem& item : planned.items) {
        request.transact_items.push_back(MakeAction(item));
      }
      return request;
    }
    default:
      break;  // statements have become one of these
  }
  return {};
}

TransactWriteItem RequestMaker::MakeAction(const PlannedItem& planned) const {
  TransactAction action{.table_name = tables_[planned.table],
                        .item = planned.item,
                        .condition_expression = MakeCondition(planned)};
  if (planned.action == Operation::kPutItem) return {.put = std::move(action)};
  if (planned.action == Operation::kUpdateItem && !planned.only_checks) {
    UpdateItemRequest update = MakeUpdate(planned);
    action.item = std::move(update.key);
    action.expression_attribute_names = std::move(update.expression_attribute_names);
    action.expression_attribute_values = std::move(update.expression_attribute_values);
    action.update_expression = std::move(update.update_expression);
    return {.update = std::move(action)};
  }
  action.item = TableKey(planned.table, planned.item);
  if (!planned.only_checks) return {.delete_item = std::move(action)};
  // A condition that holds, unless a failure is planned.
  if (!action.condition_expression) action.condition_expression = "attribute_not_exists(absent)";
  return {.condition_check = std::move(action)};
}

std::vector<size_t> RequestMaker::ListUnprocessed(const PlannedCall& planned,
                                                  const std::vector<Item>& left) const {
  std::vector<size_t> found;
  if (left.empty()) return found;
  for (size_t i = 0; i < planned.items.size(); ++i) {
    const size_t table = planned.items[i].table;
    const Item key = TableKey(table, planned.items[i].item);
    const bool is_left = std::any_of(
        left.begin(), left.end(), [&](const Item& item) { return TableKey(table, item) == key; });
    if (is_left) found.push_back(i);
  }
  return found;
}

QueryRequest RequestMaker::MakeQuery(const PlannedCall& planned) const {
  const TableDesign& table = experiment_.tables[planned.table];
  const Item& given = planned.items.front().item;
  const IndexDesign* const index = planned.index ? &table.indexes[*planned.index] : nullptr;
  const std::string partition = index ? IndexAttribute(*index) : table.partition_key.attribute;
  const std::optional<KeyPart>& sort = index ? index->sort_key : table.sort_key;
  QueryRequest request{.table_name = tables_[planned.table],
                       .limit = planned.query_items,
                       .consistent_read = planned.consistency == ReadMode::kStrong,
                       .exclusive_start_key = planned.begin,
                       .return_consumed_capacity = kConsumed,
                       .key_condition_expression = "#p = :p"};
  if (index) request.index_name = index->name;
  Item values;
  values.Set(":p", Value::Copy(*given.Find(partition)));
  request.expression_attribute_names.emplace().emplace_back("#p", partition);
  if (sort && given.Find(sort->attribute)) {
    request.key_condition_expression = "#p = :p AND #s >= :s";
    request.expression_attribute_names->emplace_back("#s", sort->attribute);
    values.Set(":s", Value::Copy(*given.Find(sort->attribute)));
  }
  request.expression_attribute_values = std::move(values);
  return request;
}

ScanRequest RequestMaker::MakeScan(const PlannedCall& planned) const {
  const Access& access = experiment_.accesses[planned.access];
  const TableDesign& table = experiment_.tables[planned.table];
  ScanRequest request{.table_name = tables_[planned.table],
                      .exclusive_start_key = planned.begin,
                      .return_consumed_capacity = kConsumed,
                      .consistent_read = planned.consistency == ReadMode::kStrong};
  if (planned.index) request.index_name = table.indexes[*planned.index].name;
  if (access.page_items > 0) request.limit = access.page_items;
  if (planned.query_items > 0) request.limit = planned.query_items;
  if (access.segments > 1) {
    request.total_segments = access.segments;
    request.segment = planned.segment;
  }
  return request;
}

// Sets one field to a new value, and all keys of indexes.
UpdateItemRequest RequestMaker::MakeUpdate(const PlannedItem& planned) const {
  const TableDesign& table = experiment_.tables[planned.table];
  UpdateItemRequest request{.table_name = tables_[planned.table],
                            .key = TableKey(planned.table, planned.item),
                            .return_consumed_capacity = kConsumed};
  std::string expression = "SET ";
  Item values;
  std::vector<std::pair<std::string, std::string>> names;
  const auto set = [&](std::string_view attribute, const Value& value) {
    const size_t number = names.size();
    expression += Concat(number == 0 ? "" : ", ", ShortName(number), " = ", ShortValue(number));
    names.emplace_back(ShortName(number), attribute);
    values.Set(ShortValue(number), value);
  };
  for (const auto& [attribute, value] : planned.item) {
    if (!request.key.Find(attribute)) set(attribute, Value::Copy(value));
  }
  const auto number = static_cast<int64_t>(planned.uses.front().position.hash() >> 8);
  const int64_t field = number % table.fields;
  const int64_t left = BytesForFields(planned.item, planned.bytes, table.fields);
  set(FieldName(field), FieldValue(left, field, table.fields, static_cast<size_t>(number)));
  request.condition_expression = MakeCondition(planned);
  request.update_expression = std::move(expression);
  request.expression_attribute_names = std::move(names);
  request.expression_attribute_values = std::move(values);
  return request;
}

}  // namespace dynolith::lab
