// Reads and writes of items.
#include <algorithm>
#include <set>
#include <utility>

#include "tests/model/key_rules.h"
#include "tests/random/generator.h"

namespace dynolith::random {

using model::Condition;
using model::Index;
using model::Item;
using model::KeyAttribute;
using model::Operand;
using model::Path;
using model::ReadOp;
using model::SetValue;
using model::Table;
using model::Value;

using Kind = model::Condition::Kind;

model::Operation Generator::Put(const model::Model&, const Table& table) {
  model::PutOp op{.table = table.name, .item = NewItem(table)};
  if (Chance(30)) op.condition = AnyCondition(2);
  op.return_old = Chance(30);
  op.old_on_failure = Chance(50);
  return op;
}

model::Operation Generator::Delete(const model::Model&, const Table& table) {
  model::DeleteOp op{.table = table.name, .key = Key(table)};
  if (Chance(30)) op.condition = AnyCondition(2);
  op.return_old = Chance(50);
  op.old_on_failure = Chance(50);
  return op;
}

SetValue Generator::AnySetValue(const std::string& attribute) {
  const auto path = [](const std::string& name) {
    return Operand{.kind = Operand::Kind::kPath, .path = {name}, .literal = {}};
  };
  if (attribute == "n" && Chance(70)) {
    return {.kind = Chance(50) ? SetValue::Kind::kAdd : SetValue::Kind::kSubtract,
            .operands = {path("n"), Literal(KeyValue({"", "N"}))}};
  }
  if (attribute == "list" && Chance(50)) {
    const Operand more = Literal(Value{model::List{AnyValue(1)}});
    return {.kind = SetValue::Kind::kListAppend,
            .operands = Chance(50) ? std::vector<Operand>{path("list"), more}
                                   : std::vector<Operand>{more, path("list")}};
  }
  if (Chance(20)) {
    return {.kind = SetValue::Kind::kIfNotExists,
            .operands = {path(PickOne(kFree)), Literal(MakeValue(attribute))}};
  }
  if (Chance(10)) return {.operands = {{.path = AnyPath(), .literal = {}}}};
  return {.operands = {Literal(MakeValue(attribute))}};
}

void Generator::AddClause(const std::string& attribute, model::Update* update) {
  const auto set = [&](const Path& path) { update->set.emplace_back(path, AnySetValue("a")); };
  if (attribute == "list" && Chance(60)) {
    const std::vector<size_t> indexes = {0, 2, 3, 20};
    for (const size_t index : indexes) {
      if (!Chance(50)) continue;
      if (Chance(50)) {
        set({attribute, index});
      } else {
        update->remove.push_back({attribute, index});
      }
    }
    return;
  }
  if (attribute == "map" && Chance(60)) {
    if (Chance(60)) set({attribute, PickOne<std::string>({"x", "new"})});
    if (Chance(40)) update->remove.push_back({attribute, "y"});
    return;
  }
  const size_t choice = Below(10);
  if (choice < 2) {
    update->remove.push_back({attribute});
  } else if (attribute == "n" && choice < 6) {
    update->add.push_back({{attribute}, KeyValue({"", "N"})});
  } else if (attribute == "set" && choice < 9) {
    const Value members{model::StringSet{{PickOne<std::string>({"a", "b", "c", "d"}), "a"}}};
    (Chance(50) ? update->add : update->del).push_back({{attribute}, members});
  } else {
    update->set.emplace_back(Path{attribute}, AnySetValue(attribute));
  }
}

model::Operation Generator::Update(const model::Model&, const Table& table) {
  model::UpdateOp op{.table = table.name, .key = Key(table)};
  for (const auto* names : {&kScalars, &kFree}) {
    for (const std::string& name : *names) {
      if (Chance(20)) AddClause(name, &op.update);
    }
  }
  if (HasVectors(table) && Chance(30)) {
    if (Chance(80)) {
      op.update.set.emplace_back(Path{"v"}, SetValue{.operands = {Literal(Vector())}});
    } else {
      op.update.remove.push_back({"v"});
    }
  }
  if (Chance(30)) op.condition = AnyCondition(2);
  op.returned = PickOne<model::Returned>({model::Returned::kNone, model::Returned::kAllOld,
                                          model::Returned::kUpdatedOld, model::Returned::kAllNew,
                                          model::Returned::kUpdatedNew});
  op.old_on_failure = Chance(50);
  return op;
}

model::Operation Generator::Get(const model::Model&, const Table& table) {
  model::GetOp op{.table = table.name, .key = Key(table)};
  if (Chance(50)) op.projection = AnyProjection();
  return op;
}

model::Operation Generator::BatchWrite(const model::Model& model, const Table&) {
  model::BatchWriteOp op;
  std::set<std::string> keys;
  for (size_t i = 1 + Below(12); i > 0; --i) {
    const Table table = AnyTable(model);
    model::BatchWriteOp::Write write{.table = table.name};
    const Item item = NewItem(table);
    if (!keys.insert(table.name + model::Text(model::ItemKey(table, item))).second) continue;
    if (Chance(70)) {
      write.put = item;
    } else {
      write.delete_key = model::ItemKey(table, item);
    }
    op.writes.push_back(write);
  }
  return op;
}

model::Operation Generator::BatchGet(const model::Model& model, const Table&) {
  model::BatchGetOp op;
  std::set<std::string> keys;
  for (size_t i = 1 + Below(12); i > 0; --i) {
    const Table table = AnyTable(model);
    const Item key = Key(table);
    if (keys.insert(table.name + model::Text(key)).second) op.keys[table.name].push_back(key);
  }
  return op;
}

void Generator::QueryRange(const std::vector<KeyAttribute>& range, ReadOp* op) {
  for (size_t i = 0; i < range.size() && Chance(60); ++i) {
    const KeyAttribute& attribute = range[i];
    const Operand path{.kind = Operand::Kind::kPath, .path = {attribute.name}, .literal = {}};
    const Value value = KeyValue(attribute);
    if (Chance(40)) {
      op->range.emplace_back(attribute.name,
                             Condition{.kind = Kind::kEqual, .operands = {path, Literal(value)}});
      continue;
    }
    Condition condition{.kind = PickOne<Kind>({Kind::kLess, Kind::kLessOrEqual, Kind::kGreater,
                                               Kind::kGreaterOrEqual, Kind::kBetween}),
                        .operands = {path, Literal(value)}};
    if (condition.kind == Kind::kBetween) {
      Value high = KeyValue(attribute);
      if (*model::Compare(value, high) > 0) high = value;
      condition.operands.push_back(Literal(high));
    } else if (attribute.type != "N" && Chance(40)) {
      condition.kind = Kind::kBeginsWith;
    }
    op->range.emplace_back(attribute.name, condition);
    return;  // Only the last one may be no equality.
  }
}

// Filter, projection, selection and limit: as far as the index allows.
void Generator::Shape(const Table& table, const Index* index, ReadOp* op) {
  std::vector<std::string> attributes;
  for (const auto* names : {&kScalars, &kFree}) {
    for (const std::string& name : *names) {
      const bool held = !index || index->projection == Index::Projection::kAll ||
                        std::count(index->included.begin(), index->included.end(), name) > 0;
      if (held && !IsKey(table, index, name)) attributes.push_back(name);
    }
  }
  if (Chance(40) && !attributes.empty()) op->filter = FilterFor(attributes, 2);
  if (Chance(30)) {
    op->projection = AnyProjection();
  } else if (Chance(20)) {
    op->count_only = true;
  } else if (index && index->local) {
    op->all_attributes = Chance(50);
  }
  op->limit = Chance(60) ? static_cast<int>(1 + Below(5)) : 1000;
}

// One that Query and Scan take; nullptr if there is none.
const Index* Generator::ReadableIndex(const Table& table) {
  std::vector<const Index*> readable;
  for (const Index& index : table.indexes) {
    if (!index.vector) readable.push_back(&index);
  }
  return readable.empty() ? nullptr : PickOne(readable);
}

// One in two has been asked before, so that a store may answer from pages that it keeps, of which
// rows have changed since.
model::Operation Generator::Query(const model::Model&, const Table& table) {
  std::vector<ReadOp>& asked = asked_[table.name];
  if (!asked.empty() && Chance(50)) return PickOne(asked);
  ReadOp op{.table = table.name, .is_query = true};
  const Index* index = Chance(70) ? ReadableIndex(table) : nullptr;
  std::vector<KeyAttribute> hash = {table.hash};
  std::vector<KeyAttribute> range;
  if (table.range) range = {*table.range};
  if (index) {
    op.index = index->name;
    hash = index->hash;
    range = index->range;
  }
  for (const KeyAttribute& attribute : hash)
    op.hash.emplace_back(attribute.name, KeyValue(attribute));
  QueryRange(range, &op);
  op.forward = Chance(60);
  Shape(table, index, &op);
  constexpr size_t kAskedAgain = 3;
  if (index == nullptr) {
    if (asked.size() == kAskedAgain) asked.erase(asked.begin());
    asked.push_back(op);
  }
  return op;
}

model::Operation Generator::Scan(const model::Model&, const Table& table) {
  ReadOp op{.table = table.name};
  const Index* index = Chance(40) ? ReadableIndex(table) : nullptr;
  if (index) op.index = index->name;
  op.total_segments = Chance(30) ? static_cast<int>(2 + Below(5)) : 1;
  Shape(table, index, &op);
  return op;
}

}  // namespace dynolith::random
