#include "tests/model/model.h"

#include <algorithm>
#include <set>

namespace dynolith::model {
namespace {

const char* const kValidation = "ValidationException";
const char* const kConditionFailed = "ConditionalCheckFailedException";

bool IsEmpty(const Value& value) {
  return (value.As<String>() && value.As<String>()->text.empty()) ||
         (value.As<Binary>() && value.As<Binary>()->bytes.empty());
}

bool FitsKey(const Value& value, const KeyAttribute& attribute) {
  return TypeOf(value) == attribute.type && !IsEmpty(value);
}

std::vector<KeyAttribute> KeyAttributes(const Table& table) {
  std::vector<KeyAttribute> attributes = {table.hash};
  if (table.range) attributes.push_back(*table.range);
  return attributes;
}

std::vector<KeyAttribute> KeyAttributes(const Index& index) {
  std::vector<KeyAttribute> attributes = index.hash;
  attributes.insert(attributes.end(), index.range.begin(), index.range.end());
  return attributes;
}

// Whether the item may be stored: index keys that are there have the right type. What was already
// there before the index came (`old`) may stay.
bool IndexKeysFit(const Table& table, const Item& item, const Item& old) {
  for (const Index& index : table.indexes) {
    for (const KeyAttribute& attribute : KeyAttributes(index)) {
      const auto found = item.find(attribute.name);
      if (found == item.end() || FitsKey(found->second, attribute)) continue;
      const auto before = old.find(attribute.name);
      if (before == old.end() || !(before->second == found->second)) return false;
    }
  }
  return true;
}

bool KeyFits(const Table& table, const Item& item) {
  for (const KeyAttribute& attribute : KeyAttributes(table)) {
    const auto found = item.find(attribute.name);
    if (found == item.end() || !FitsKey(found->second, attribute)) return false;
  }
  return true;
}

Outcome Error(const char* name) {
  Outcome outcome;
  outcome.error = name;
  return outcome;
}

Outcome ConditionFailed(const Item* old, bool return_old) {
  Outcome outcome = Error(kConditionFailed);
  if (old && return_old) outcome.attributes = *old;
  return outcome;
}

const Item* FindItem(const std::map<std::string, Item>& items, const std::string& key) {
  const auto found = items.find(key);
  return found == items.end() ? nullptr : &found->second;
}

// Orders by the range attributes; equal where they are.
int CompareRange(const Item& left, const Item& right, const std::vector<KeyAttribute>& range) {
  for (const KeyAttribute& attribute : range) {
    const auto order = Compare(left.at(attribute.name), right.at(attribute.name));
    if (order && *order != 0) return *order;
  }
  return 0;
}

// Whether a global index lacks something that the projection names.
bool AsksForMore(const Table& table, const Index& index, const std::vector<Path>& projection) {
  if (index.projection == Index::Projection::kAll) return false;
  std::set<std::string> held(index.included.begin(), index.included.end());
  for (const KeyAttribute& attribute : KeyAttributes(table)) held.insert(attribute.name);
  for (const KeyAttribute& attribute : KeyAttributes(index)) held.insert(attribute.name);
  return std::any_of(projection.begin(), projection.end(), [&](const Path& path) {
    return !held.contains(std::get<std::string>(path[0]));
  });
}

bool Matches(const ReadOp& op, const std::vector<KeyAttribute>& hash, const Item& item) {
  for (size_t i = 0; op.is_query && i < hash.size(); ++i) {
    if (!(item.at(hash[i].name) == op.hash[i])) return false;
  }
  return std::all_of(op.range.begin(), op.range.end(),
                     [&](const auto& clause) { return Holds(clause.second, item); });
}

}  // namespace

Item KeyOf(const Table& table, const Item& item) {
  Item key;
  for (const KeyAttribute& attribute : KeyAttributes(table)) {
    key[attribute.name] = item.at(attribute.name);
  }
  return key;
}

const Index* FindIndex(const Table& table, const std::string& name) {
  for (const Index& index : table.indexes) {
    if (index.name == name) return &index;
  }
  return nullptr;
}

std::optional<Item> EntryOf(const Table& table, const Index& index, const Item& item) {
  Item entry = KeyOf(table, item);
  for (const KeyAttribute& attribute : KeyAttributes(index)) {
    const auto found = item.find(attribute.name);
    if (found == item.end() || !FitsKey(found->second, attribute)) return std::nullopt;
    entry[attribute.name] = found->second;
  }
  if (index.projection == Index::Projection::kAll) return item;
  for (const std::string& name : index.included) {
    if (item.contains(name)) entry[name] = item.at(name);
  }
  return entry;
}

Model::Model(std::vector<Table> tables) {
  for (Table& table : tables) tables_[table.name].schema = table;
}

std::vector<Item> Model::Items(const std::string& table) const {
  std::vector<Item> items;
  for (const auto& [key, item] : tables_.at(table).items) items.push_back(item);
  return items;
}

Outcome Model::Run(const Operation& operation) {
  if (const auto* op = std::get_if<PutOp>(&operation)) return Put(*op);
  if (const auto* op = std::get_if<DeleteOp>(&operation)) return Delete(*op);
  if (const auto* op = std::get_if<UpdateOp>(&operation)) return Update(*op);
  if (const auto* op = std::get_if<GetOp>(&operation)) return Get(*op);
  if (const auto* op = std::get_if<BatchWriteOp>(&operation)) return BatchWrite(*op);
  if (const auto* op = std::get_if<BatchGetOp>(&operation)) return BatchGet(*op);
  if (const auto* op = std::get_if<ReadOp>(&operation)) return Read(*op);
  if (const auto* op = std::get_if<CreateIndexOp>(&operation)) {
    tables_.at(op->table).schema.indexes.push_back(op->index);
    return {};
  }
  const auto& op = std::get<DeleteIndexOp>(operation);
  std::erase_if(tables_.at(op.table).schema.indexes,
                [&](const Index& index) { return index.name == op.index; });
  return {};
}

Outcome Model::Put(const PutOp& op) {
  State& state = tables_.at(op.table);
  if (!KeyFits(state.schema, op.item)) return Error(kValidation);
  if (!IndexKeysFit(state.schema, op.item, {})) return Error(kValidation);
  const std::string key = Text(KeyOf(state.schema, op.item));
  const Item* old = FindItem(state.items, key);
  if (op.condition && !Holds(*op.condition, old ? *old : Item())) {
    return ConditionFailed(old, op.old_on_failure);
  }
  Outcome outcome;
  if (old && op.return_old) outcome.attributes = *old;
  state.items[key] = op.item;
  return outcome;
}

Outcome Model::Delete(const DeleteOp& op) {
  State& state = tables_.at(op.table);
  const std::string key = Text(op.key);
  const Item* old = FindItem(state.items, key);
  if (op.condition && !Holds(*op.condition, old ? *old : Item())) {
    return ConditionFailed(old, op.old_on_failure);
  }
  Outcome outcome;
  if (old && op.return_old) outcome.attributes = *old;
  state.items.erase(key);
  return outcome;
}

Outcome Model::Update(const UpdateOp& op) {
  State& state = tables_.at(op.table);
  const std::string key = Text(op.key);
  const Item* found = FindItem(state.items, key);
  const Item old = found ? *found : Item();
  // A literal of the wrong type for an index key comes before the condition; an empty one, like all
  // else that the update results in, after it.
  for (const auto& [path, set] : op.update.set) {
    if (path.size() > 1 || set.kind != SetValue::Kind::kOperand) continue;
    if (set.operands[0].kind != Operand::Kind::kLiteral) continue;
    Value literal = set.operands[0].literal;
    if (IsEmpty(literal)) literal = literal.As<String>() ? Value(String{"x"}) : Value(Binary{"x"});
    const Item changed = {{std::get<std::string>(path[0]), literal}};
    if (!IndexKeysFit(state.schema, changed, {})) return Error(kValidation);
  }
  if (op.condition && !Holds(*op.condition, old)) return ConditionFailed(found, op.old_on_failure);
  Item base = old;
  for (const auto& [name, value] : op.key) base[name] = value;
  const auto updated = Apply(op.update, base, found != nullptr);
  if (!updated || !IndexKeysFit(state.schema, *updated, old)) return Error(kValidation);
  const bool creates = !op.update.set.empty() || !op.update.add.empty() ||
                       (op.update.remove.empty() && op.update.del.empty());
  const bool stored = found || creates;
  if (stored) state.items[key] = *updated;
  Outcome outcome;
  const std::vector<Path> touched = op.update.Touched();
  Item returned;
  if (op.returned == Returned::kAllOld) returned = old;
  if (op.returned == Returned::kUpdatedOld) returned = Project(old, touched);
  if (op.returned == Returned::kAllNew && stored) returned = *updated;
  if (op.returned == Returned::kUpdatedNew && stored) returned = Project(*updated, touched);
  if (!returned.empty()) outcome.attributes = returned;
  return outcome;
}

Outcome Model::Get(const GetOp& op) const {
  const Item* item = FindItem(tables_.at(op.table).items, Text(op.key));
  Outcome outcome;
  if (item) outcome.attributes = op.projection.empty() ? *item : Project(*item, op.projection);
  return outcome;
}

Outcome Model::BatchWrite(const BatchWriteOp& op) {
  for (const BatchWriteOp::Write& write : op.writes) {
    const Table& schema = tables_.at(write.table).schema;
    if (!write.put) continue;
    if (!KeyFits(schema, *write.put) || !IndexKeysFit(schema, *write.put, {})) {
      return Error(kValidation);
    }
  }
  for (const BatchWriteOp::Write& write : op.writes) {
    State& state = tables_.at(write.table);
    if (write.put) {
      state.items[Text(KeyOf(state.schema, *write.put))] = *write.put;
    } else {
      state.items.erase(Text(write.delete_key));
    }
  }
  return {};
}

Outcome Model::BatchGet(const BatchGetOp& op) const {
  Outcome outcome;
  for (const auto& [table, keys] : op.keys) {
    std::vector<Item> group;
    for (const Item& key : keys) {
      const Item* item = FindItem(tables_.at(table).items, Text(key));
      if (item) group.push_back(*item);
    }
    outcome.groups.push_back(group);
  }
  return outcome;
}

Outcome Model::Read(const ReadOp& op) const {
  const State& state = tables_.at(op.table);
  const Index* index = op.index.empty() ? nullptr : FindIndex(state.schema, op.index);
  if (!op.index.empty() && !index) return Error(kValidation);
  const bool global = index && !index->local;
  if (global && AsksForMore(state.schema, *index, op.projection)) return Error(kValidation);
  if (global && op.all_attributes && index->projection != Index::Projection::kAll) {
    return Error(kValidation);
  }
  const std::vector<KeyAttribute> hash =
      index ? index->hash : std::vector<KeyAttribute>{state.schema.hash};
  std::vector<KeyAttribute> range;
  if (index) range = index->range;
  if (!index && state.schema.range) range = {*state.schema.range};

  std::vector<Item> evaluated;
  for (const auto& [key, item] : state.items) {
    const auto entry = index ? EntryOf(state.schema, *index, item) : item;
    if (!entry || !Matches(op, hash, *entry)) continue;
    const bool whole = op.all_attributes || (!global && !op.projection.empty());
    evaluated.push_back(whole ? item : *entry);
  }
  if (op.is_query) {
    std::stable_sort(evaluated.begin(), evaluated.end(), [&](const Item& a, const Item& b) {
      return CompareRange(a, b, range) * (op.forward ? 1 : -1) < 0;
    });
  }
  Outcome outcome;
  outcome.scanned = static_cast<int>(evaluated.size());
  if (op.total_segments == 1) outcome.pages = outcome.scanned / op.limit + 1;
  const Item* previous = nullptr;
  for (const Item& item : evaluated) {
    if (!previous || (op.is_query && CompareRange(*previous, item, range) != 0)) {
      outcome.groups.emplace_back();
    }
    previous = &item;
    if (op.filter && !Holds(*op.filter, item)) continue;
    ++outcome.count;
    if (op.count_only) continue;
    outcome.groups.back().push_back(op.projection.empty() ? item : Project(item, op.projection));
  }
  return outcome;
}

}  // namespace dynolith::model
