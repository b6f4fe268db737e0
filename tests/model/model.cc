#include "tests/model/model.h"

#include "tests/model/key_rules.h"

namespace dynolith::model {
namespace {

bool Fits(const Table& table, const Item& item) {
  return KeyFits(table, item) && IndexKeysFit(table, item, {}) && VectorsFit(table, item, {});
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

// A literal of the wrong type for an index key comes before the condition; an empty one, like all
// else that the update results in, after it.
bool HasStaticViolation(const Table& table, const Update& update) {
  for (const auto& [path, set] : update.set) {
    if (path.size() > 1 || set.kind != SetValue::Kind::kOperand) continue;
    if (set.operands[0].kind != Operand::Kind::kLiteral) continue;
    Value literal = set.operands[0].literal;
    if (IsEmpty(literal)) literal = literal.As<String>() ? Value{String{"x"}} : Value{Binary{"x"}};
    const Item changed = {{std::get<std::string>(path[0]), literal}};
    if (!IndexKeysFit(table, changed, {})) return true;
  }
  return false;
}

}  // namespace

Model::Model(const std::vector<Table>& tables) {
  for (const Table& table : tables) tables_[table.name].schema = table;
}

const Table* Model::FindTable(const std::string& name) const {
  const State* state = Find(name);
  return state ? &state->schema : nullptr;
}

std::vector<std::string> Model::TableNames() const {
  std::vector<std::string> names;
  for (const auto& [name, state] : tables_) names.push_back(name);
  return names;
}

Model::State* Model::Find(const std::string& table) {
  const auto found = tables_.find(table);
  return found == tables_.end() ? nullptr : &found->second;
}

const Model::State* Model::Find(const std::string& table) const {
  const auto found = tables_.find(table);
  return found == tables_.end() ? nullptr : &found->second;
}

Outcome Model::Run(const Operation& operation) {
  struct Runner {
    Model& model;
    Outcome operator()(const PutOp& op) { return model.Put(op); }
    Outcome operator()(const DeleteOp& op) { return model.Delete(op); }
    Outcome operator()(const UpdateOp& op) { return model.Update(op); }
    Outcome operator()(const GetOp& op) { return model.Get(op); }
    Outcome operator()(const BatchWriteOp& op) { return model.BatchWrite(op); }
    Outcome operator()(const BatchGetOp& op) { return model.BatchGet(op); }
    Outcome operator()(const ReadOp& op) { return model.Read(op); }
    Outcome operator()(const StatementOp& op) { return model.Say(op.sentence); }
    Outcome operator()(const BatchStatementOp& op) { return model.SayAll(op); }
    Outcome operator()(const TransactOp& op) { return model.Transact(op); }
    Outcome operator()(const SearchOp& op) { return model.Search(op); }
    Outcome operator()(const CreateTableOp& op) { return model.CreateTable(op); }
    Outcome operator()(const DeleteTableOp& op) { return model.DeleteTable(op); }
    Outcome operator()(const CreateIndexOp& op) { return model.CreateIndex(op); }
    Outcome operator()(const DeleteIndexOp& op) { return model.DeleteIndex(op); }
    Outcome operator()(const ShardIndexOp& op) { return model.ShardIndex(op); }
    Outcome operator()(const CreateBackupOp& op) { return model.CreateBackup(op); }
    Outcome operator()(const RestoreOp& op) { return model.Restore(op); }
    Outcome operator()(const DeleteBackupOp& op) { return model.DeleteBackup(op); }
    Outcome operator()(const ReopenOp&) { return {}; }
    Outcome operator()(const VerifyOp&) { return model.Verify(); }
  };
  return std::visit(Runner{*this}, operation);
}

Outcome Model::Put(const PutOp& op) {
  State* found = Find(op.table);
  if (!found) return Error(kResourceNotFound);
  State& state = *found;
  if (!Fits(state.schema, op.item)) return Error(kValidation);
  const std::string key = Text(ItemKey(state.schema, op.item));
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
  State* found = Find(op.table);
  if (!found) return Error(kResourceNotFound);
  State& state = *found;
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
  State* const table = Find(op.table);
  if (!table) return Error(kResourceNotFound);
  State& state = *table;
  const std::string key = Text(op.key);
  const Item* found = FindItem(state.items, key);
  const Item old = found ? *found : Item();
  if (HasStaticViolation(state.schema, op.update)) return Error(kValidation);
  if (op.condition && !Holds(*op.condition, old)) return ConditionFailed(found, op.old_on_failure);
  Item base = old;
  for (const auto& [name, value] : op.key) base[name] = value;
  const auto updated = Apply(op.update, base, found != nullptr);
  if (!updated || !IndexKeysFit(state.schema, *updated, old) ||
      !VectorsFit(state.schema, *updated, old)) {
    return Error(kValidation);
  }
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
  const State* state = Find(op.table);
  if (!state) return Error(kResourceNotFound);
  const Item* item = FindItem(state->items, Text(op.key));
  Outcome outcome;
  if (item) outcome.attributes = op.projection.empty() ? *item : Project(*item, op.projection);
  return outcome;
}

Outcome Model::BatchWrite(const BatchWriteOp& op) {
  for (const BatchWriteOp::Write& write : op.writes) {
    if (!Find(write.table)) return Error(kResourceNotFound);
  }
  for (const BatchWriteOp::Write& write : op.writes) {
    if (write.put && !Fits(Find(write.table)->schema, *write.put)) return Error(kValidation);
  }
  for (const BatchWriteOp::Write& write : op.writes) {
    State& state = tables_.at(write.table);
    if (write.put) {
      state.items[Text(ItemKey(state.schema, *write.put))] = *write.put;
    } else {
      state.items.erase(Text(write.delete_key));
    }
  }
  return {};
}

Outcome Model::BatchGet(const BatchGetOp& op) const {
  Outcome outcome;
  for (const auto& [table, keys] : op.keys) {
    if (!Find(table)) return Error(kResourceNotFound);
    std::vector<Item> group;
    for (const Item& key : keys) {
      const Item* item = FindItem(tables_.at(table).items, Text(key));
      if (item) group.push_back(*item);
    }
    outcome.groups.push_back(group);
  }
  return outcome;
}

Outcome Model::Check(const CheckOp& op) const {
  const State* state = Find(op.table);
  if (!state) return Error(kResourceNotFound);
  const Item* item = FindItem(state->items, Text(op.key));
  if (Holds(op.condition, item ? *item : Item())) return {};
  return ConditionFailed(item, op.old_on_failure);
}

bool Model::HasEmptyIndexKey(const Sentence& action) const {
  const auto named = [](const auto& op) { return op.table; };
  const State& state = *Find(std::visit(named, action));
  Item given;
  if (const auto* put = std::get_if<PutOp>(&action)) given = put->item;
  if (const auto* update = std::get_if<UpdateOp>(&action)) {
    for (const auto& [path, set] : update->update.set) {
      if (path.size() > 1 || set.kind != SetValue::Kind::kOperand) continue;
      if (set.operands[0].kind != Operand::Kind::kLiteral) continue;
      given.emplace(std::get<std::string>(path[0]), set.operands[0].literal);
    }
  }
  for (const Index& index : state.schema.indexes) {
    for (const KeyAttribute& attribute : KeyAttributes(index)) {
      const auto value = given.find(attribute.name);
      if (value == given.end() || !IsEmpty(value->second)) continue;
      if (TypeName(value->second) == attribute.type) return true;
    }
  }
  return false;
}

std::string Model::StaticViolation(const Sentence& action) const {
  const auto named = [](const auto& op) { return op.table; };
  const State* state = Find(std::visit(named, action));
  if (!state) return kResourceNotFound;
  bool faulty = false;
  if (const auto* put = std::get_if<PutOp>(&action)) faulty = !Fits(state->schema, put->item);
  if (const auto* update = std::get_if<UpdateOp>(&action)) {
    faulty = HasStaticViolation(state->schema, update->update);
  }
  return faulty ? kValidation : "";
}

}  // namespace dynolith::model
