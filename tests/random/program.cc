#include "tests/random/program.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace dynolith::random {
namespace {

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

using Kind = Condition::Kind;

// Attributes by what usually stands in them.
const std::vector<std::string> kScalars = {"g", "h", "r", "q", "l"};
const std::vector<std::string> kFree = {"a", "b", "n", "set", "list", "map"};

const std::map<std::string, std::string> kIndexTypes = {
    {"g", "S"}, {"h", "N"}, {"r", "N"}, {"q", "S"}, {"l", "N"}};

KeyAttribute Typed(const std::string& name) { return {name, kIndexTypes.at(name)}; }

bool IsKey(const Table& table, const Index* index, const std::string& name) {
  const auto named = [&](const KeyAttribute& attribute) { return attribute.name == name; };
  if (index) {
    return std::any_of(index->hash.begin(), index->hash.end(), named) ||
           std::any_of(index->range.begin(), index->range.end(), named);
  }
  return named(table.hash) || (table.range && named(*table.range));
}

}  // namespace

std::vector<Table> ProgramTables() {
  Table composite{.name = "composite", .hash = {"pk", "S"}, .range = KeyAttribute{"sk", "N"}};
  composite.indexes = {
      {.name = "local_all", .local = true, .hash = {{"pk", "S"}}, .range = {Typed("l")}},
      {.name = "local_some",
       .local = true,
       .hash = {{"pk", "S"}},
       .range = {Typed("q")},
       .projection = Index::Projection::kInclude,
       .included = {"a", "n"}},
      {.name = "global_keys",
       .hash = {Typed("g")},
       .range = {Typed("r")},
       .projection = Index::Projection::kKeysOnly},
      {.name = "global_multi",
       .hash = {Typed("g"), Typed("h")},
       .range = {Typed("r"), Typed("q")}}};
  Table simple{.name = "simple", .hash = {"pk", "N"}, .range = std::nullopt};
  simple.indexes = {{.name = "global_some",
                     .hash = {Typed("g")},
                     .range = {},
                     .projection = Index::Projection::kInclude,
                     .included = {"b", "map"}}};
  return {composite, simple};
}

model::Operation Program::Next(const model::Model& model) {
  const Table& table = model.table(TableName());
  const size_t choice = Below(100);
  if (choice < 25) return Put(table);
  if (choice < 45) return Update(table);
  if (choice < 52) return Delete(table);
  if (choice < 60) return Get(table);
  if (choice < 65) return BatchWrite(model);
  if (choice < 69) return BatchGet(model);
  if (choice < 88) return Query(table);
  if (choice < 98) return Scan(table);
  return ChangeIndex(table);
}

std::string Program::TableName() { return Chance(70) ? "composite" : "simple"; }

Value Program::KeyValue(const KeyAttribute& attribute) {
  static const std::vector<std::string> texts = {"a", "b", "ab", std::string("a\0", 2), "ä", "b#c"};
  static const std::vector<std::string> numbers = {"0",   "1",    "-1",  "10",   "9",
                                                   "2.5", "-2.5", "1e2", "100.0"};
  if (attribute.type == "N") return model::N(OneOf(numbers));
  return attribute.type == "B" ? model::B(OneOf(texts)) : model::S(OneOf(texts));
}

Item Program::Key(const Table& table) {
  Item key = {{table.hash.name, KeyValue(table.hash)}};
  if (table.range) key[table.range->name] = KeyValue(*table.range);
  return key;
}

Value Program::AnyValue(int depth) {
  switch (Below(depth > 0 ? 10 : 6)) {
    case 0:
      return KeyValue({"", "N"});
    case 1:
      return KeyValue({"", "S"});
    case 2:
      return KeyValue({"", "B"});
    case 3:
      return Value{Chance(50)};
    case 4:
      return Value{model::Null{}};
    case 5:
      return model::S("");
    case 6:
      return Value{model::List{AnyValue(depth - 1), AnyValue(depth - 1), model::N("1")}};
    case 7:
      return Value{model::Map{{"x", AnyValue(depth - 1)}, {"y", AnyValue(depth - 1)}}};
    case 8:
      return Value{model::StringSet{{"a", OneOf<std::string>({"b", "", "c"})}}};
    default:
      return Value{model::NumberSet{{model::Decimal("1"), model::Decimal("-2.50")}}};
  }
}

// What usually stands in this attribute; now and then something else.
Value Program::ValueOf(const std::string& attribute) {
  if (kIndexTypes.contains(attribute)) {
    return Chance(97) ? KeyValue(Typed(attribute)) : AnyValue(0);
  }
  if (Chance(10)) return AnyValue(2);
  if (attribute == "n") return KeyValue({"", "N"});
  if (attribute == "set") {
    return Value{
        model::StringSet{{OneOf<std::string>({"a", "b"}), OneOf<std::string>({"c", "d"})}}};
  }
  if (attribute == "list") {
    model::List list;
    for (size_t i = Below(4); i > 0; --i) list.push_back(AnyValue(1));
    return Value{list};
  }
  if (attribute == "map") return Value{model::Map{{"x", AnyValue(1)}, {"y", KeyValue({"", "N"})}}};
  return AnyValue(1);
}

Item Program::NewItem(const Table& table) {
  Item item;
  for (const auto* names : {&kScalars, &kFree}) {
    for (const std::string& name : *names) {
      if (Chance(names == &kScalars ? 60 : 40)) item[name] = ValueOf(name);
    }
  }
  for (const auto& [name, value] : Key(table)) item[name] = value;
  return item;
}

Path Program::AnyPath() {
  if (Chance(25)) {
    return OneOf<Path>({{"map", "x"},
                        {"map", "y"},
                        {"map", "x", "y"},
                        {"list", size_t{0}},
                        {"list", size_t{1}},
                        {"list", size_t{0}, "x"}});
  }
  return {OneOf(Chance(50) ? kScalars : kFree)};
}

Operand Program::Literal(const Value& value) {
  return {.kind = Operand::Kind::kLiteral, .path = {}, .literal = value};
}

Operand Program::AnyOperand() {
  if (Chance(15)) return {.kind = Operand::Kind::kSize, .path = AnyPath(), .literal = {}};
  return {.kind = Operand::Kind::kPath, .path = AnyPath(), .literal = {}};
}

// The service refuses literals without an order beside < and its family, and bounds upside down.
Condition Program::Comparison() {
  static const std::vector<Kind> kinds = {Kind::kEqual,   Kind::kNotEqual,
                                          Kind::kLess,    Kind::kLessOrEqual,
                                          Kind::kGreater, Kind::kGreaterOrEqual};
  Condition condition{.kind = OneOf(kinds), .operands = {AnyOperand()}};
  const bool equality = condition.kind == Kind::kEqual || condition.kind == Kind::kNotEqual;
  if (Chance(15)) {
    const Operand other = AnyOperand();
    if (!(other.path == condition.operands[0].path)) {
      condition.operands.push_back(other);
      return condition;
    }
  }
  const std::string type = OneOf<std::string>({"S", "N", "B"});
  condition.operands.push_back(
      Literal(equality && Chance(40) ? ValueOf(OneOf(kFree)) : KeyValue({"", type})));
  if (Chance(20)) std::swap(condition.operands[0], condition.operands[1]);
  return condition;
}

Condition Program::Predicate() {
  const Operand path{.kind = Operand::Kind::kPath, .path = AnyPath(), .literal = {}};
  const std::string type = OneOf<std::string>({"S", "N", "B"});
  switch (Below(9)) {
    case 0:
      return {.kind = Kind::kExists, .operands = {path}};
    case 1:
      return {.kind = Kind::kNotExists, .operands = {path}};
    case 2:
      return {.kind = Kind::kType,
              .operands = {path, Literal(model::S(OneOf<std::string>(
                                     {"S", "N", "B", "L", "M", "SS", "BOOL", "NULL"})))}};
    case 3:
      return {.kind = Kind::kBeginsWith,
              .operands = {path, Literal(KeyValue({"", Chance(80) ? "S" : "B"}))}};
    case 4:
      return {.kind = Kind::kContains, .operands = {path, Literal(KeyValue({"", type}))}};
    case 5: {
      Value low = KeyValue({"", type});
      Value high = KeyValue({"", type});
      if (*model::Compare(low, high) > 0) std::swap(low, high);
      return {.kind = Kind::kBetween, .operands = {path, Literal(low), Literal(high)}};
    }
    case 6:
      return {.kind = Kind::kIn,
              .operands = {path, Literal(ValueOf(OneOf(kFree))), Literal(KeyValue({"", type}))}};
    default:
      return Comparison();
  }
}

Condition Program::AnyCondition(int depth) {
  if (depth == 0 || Chance(50)) return Predicate();
  if (Chance(25)) return {.kind = Kind::kNot, .parts = {AnyCondition(depth - 1)}};
  return {.kind = Chance(50) ? Kind::kAnd : Kind::kOr,
          .parts = {AnyCondition(depth - 1), AnyCondition(depth - 1)}};
}

// A condition on these attributes only.
Condition Program::FilterFor(const std::vector<std::string>& attributes, int depth) {
  Condition condition = AnyCondition(depth);
  std::vector<Condition*> pending = {&condition};
  while (!pending.empty()) {
    Condition* part = pending.back();
    pending.pop_back();
    for (Condition& inner : part->parts) pending.push_back(&inner);
    for (Operand& operand : part->operands) {
      if (operand.kind != Operand::Kind::kLiteral) operand.path[0] = OneOf(attributes);
    }
    // The operands must stay distinct.
    if (part->operands.size() > 1 && part->operands[0].path == part->operands[1].path) {
      part->operands[1] = Literal(model::N("1"));
      if (part->operands[0].kind == Operand::Kind::kLiteral) {
        part->operands[0] = {.kind = Operand::Kind::kPath, .path = {attributes[0]}, .literal = {}};
      }
    }
  }
  return condition;
}

// Paths without overlap: one per attribute, or several elements of the list or the map.
std::vector<Path> Program::AnyProjection() {
  std::vector<Path> paths;
  for (const auto* names : {&kScalars, &kFree}) {
    for (const std::string& name : *names) {
      if (!Chance(30)) continue;
      if (name == "list" && Chance(70)) {
        paths.push_back({name, size_t{1}});
        paths.push_back({name, size_t{0}, "x"});
      } else if (name == "map" && Chance(70)) {
        paths.push_back({name, "y"});
        if (Chance(50)) paths.push_back({name, "x", size_t{0}});
      } else {
        paths.push_back({name});
      }
    }
  }
  return paths;
}

model::Operation Program::Put(const Table& table) {
  model::PutOp op{.table = table.name, .item = NewItem(table)};
  if (Chance(30)) op.condition = AnyCondition(2);
  op.return_old = Chance(30);
  op.old_on_failure = Chance(50);
  return op;
}

model::Operation Program::Delete(const Table& table) {
  model::DeleteOp op{.table = table.name, .key = Key(table)};
  if (Chance(30)) op.condition = AnyCondition(2);
  op.return_old = Chance(50);
  op.old_on_failure = Chance(50);
  return op;
}

SetValue Program::AnySetValue(const std::string& attribute) {
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
            .operands = {path(OneOf(kFree)), Literal(ValueOf(attribute))}};
  }
  if (Chance(10)) return {.operands = {{.path = AnyPath(), .literal = {}}}};
  return {.operands = {Literal(ValueOf(attribute))}};
}

void Program::AddClause(const std::string& attribute, model::Update* update) {
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
    if (Chance(60)) set({attribute, OneOf<std::string>({"x", "new"})});
    if (Chance(40)) update->remove.push_back({attribute, "y"});
    return;
  }
  const size_t choice = Below(10);
  if (choice < 2) {
    update->remove.push_back({attribute});
  } else if (attribute == "n" && choice < 6) {
    update->add.push_back({{attribute}, KeyValue({"", "N"})});
  } else if (attribute == "set" && choice < 9) {
    const Value members{model::StringSet{{OneOf<std::string>({"a", "b", "c", "d"}), "a"}}};
    (Chance(50) ? update->add : update->del).push_back({{attribute}, members});
  } else {
    update->set.emplace_back(Path{attribute}, AnySetValue(attribute));
  }
}

model::Operation Program::Update(const Table& table) {
  model::UpdateOp op{.table = table.name, .key = Key(table)};
  for (const auto* names : {&kScalars, &kFree}) {
    for (const std::string& name : *names) {
      if (Chance(20)) AddClause(name, &op.update);
    }
  }
  if (Chance(30)) op.condition = AnyCondition(2);
  op.returned = OneOf<model::Returned>({model::Returned::kNone, model::Returned::kAllOld,
                                        model::Returned::kUpdatedOld, model::Returned::kAllNew,
                                        model::Returned::kUpdatedNew});
  op.old_on_failure = Chance(50);
  return op;
}

model::Operation Program::Get(const Table& table) {
  model::GetOp op{.table = table.name, .key = Key(table)};
  if (Chance(50)) op.projection = AnyProjection();
  return op;
}

model::Operation Program::BatchWrite(const model::Model& model) {
  model::BatchWriteOp op;
  std::set<std::string> keys;
  for (size_t i = 1 + Below(12); i > 0; --i) {
    const Table& table = model.table(TableName());
    model::BatchWriteOp::Write write{.table = table.name};
    const Item item = NewItem(table);
    if (!keys.insert(table.name + model::Text(model::KeyOf(table, item))).second) continue;
    if (Chance(70)) {
      write.put = item;
    } else {
      write.delete_key = model::KeyOf(table, item);
    }
    op.writes.push_back(write);
  }
  return op;
}

model::Operation Program::BatchGet(const model::Model& model) {
  model::BatchGetOp op;
  std::set<std::string> keys;
  for (size_t i = 1 + Below(12); i > 0; --i) {
    const Table& table = model.table(TableName());
    const Item key = Key(table);
    if (keys.insert(table.name + model::Text(key)).second) op.keys[table.name].push_back(key);
  }
  return op;
}

void Program::QueryRange(const std::vector<KeyAttribute>& range, ReadOp* op) {
  for (size_t i = 0; i < range.size() && Chance(60); ++i) {
    const KeyAttribute& attribute = range[i];
    const Operand path{.kind = Operand::Kind::kPath, .path = {attribute.name}, .literal = {}};
    const Value value = KeyValue(attribute);
    if (Chance(40)) {
      op->range.emplace_back(attribute.name,
                             Condition{.kind = Kind::kEqual, .operands = {path, Literal(value)}});
      continue;
    }
    Condition condition{.kind = OneOf<Kind>({Kind::kLess, Kind::kLessOrEqual, Kind::kGreater,
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
void Program::Shape(const Table& table, const Index* index, ReadOp* op) {
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

model::Operation Program::Query(const Table& table) {
  ReadOp op{.table = table.name, .is_query = true};
  const Index* index = Chance(70) && !table.indexes.empty() ? &OneOf(table.indexes) : nullptr;
  std::vector<KeyAttribute> hash = {table.hash};
  std::vector<KeyAttribute> range;
  if (table.range) range = {*table.range};
  if (index) {
    op.index = index->name;
    hash = index->hash;
    range = index->range;
  }
  for (const KeyAttribute& attribute : hash) op.hash.push_back(KeyValue(attribute));
  QueryRange(range, &op);
  op.forward = Chance(60);
  Shape(table, index, &op);
  return op;
}

model::Operation Program::Scan(const Table& table) {
  ReadOp op{.table = table.name};
  const Index* index = Chance(40) && !table.indexes.empty() ? &OneOf(table.indexes) : nullptr;
  if (index) op.index = index->name;
  op.total_segments = Chance(30) ? static_cast<int>(2 + Below(5)) : 1;
  Shape(table, index, &op);
  return op;
}

// Adds a global index while the table is full of items, or takes one away again.
model::Operation Program::ChangeIndex(const Table& table) {
  std::vector<std::string> added;
  for (const Index& index : table.indexes) {
    if (index.name.starts_with("added_")) added.push_back(index.name);
  }
  if (!added.empty() && (added.size() > 1 || Chance(50))) {
    return model::DeleteIndexOp{.table = table.name, .index = OneOf(added)};
  }
  Index index{.name = "added_" + std::to_string(indexes_created_++ % 3)};
  if (model::FindIndex(table, index.name)) {
    return model::DeleteIndexOp{.table = table.name, .index = index.name};
  }
  index.hash = {Typed(OneOf(kScalars))};
  const std::string second = OneOf(kScalars);
  if (second != index.hash[0].name) index.range = {Typed(second)};
  index.projection = OneOf<Index::Projection>(
      {Index::Projection::kAll, Index::Projection::kKeysOnly, Index::Projection::kInclude});
  if (index.projection == Index::Projection::kInclude) index.included = {"a", "list"};
  return model::CreateIndexOp{.table = table.name, .index = index};
}

}  // namespace dynolith::random
