#include "tests/random/generator.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace dynolith::random {

using model::Index;
using model::Item;
using model::KeyAttribute;
using model::Table;
using model::Value;

const std::vector<std::string> Generator::kScalars = {"g", "h", "r", "q", "l"};
const std::vector<std::string> Generator::kFree = {"a", "b", "n", "set", "list", "map"};

namespace {

const std::map<std::string, std::string> kIndexTypes = {
    {"g", "S"}, {"h", "N"}, {"r", "N"}, {"q", "S"}, {"l", "N"}};

}  // namespace

KeyAttribute Generator::Typed(const std::string& name) { return {name, kIndexTypes.at(name)}; }

bool Generator::IsKey(const Table& table, const Index* index, const std::string& name) {
  const auto named = [&](const KeyAttribute& attribute) { return attribute.name == name; };
  if (index) {
    return std::any_of(index->hash.begin(), index->hash.end(), named) ||
           std::any_of(index->range.begin(), index->range.end(), named);
  }
  return named(table.hash) || (table.range && named(*table.range));
}

bool Generator::HasVectors(const Table& table) {
  return std::any_of(table.indexes.begin(), table.indexes.end(),
                     [](const Index& index) { return index.vector.has_value(); });
}

std::vector<model::Operation> MakeProgram(uint64_t seed, int steps) {
  Generator generator(seed);
  model::Model model;
  std::vector<model::Operation> program;
  for (int step = 0; step < steps; ++step) {
    program.push_back(generator.Next(model));
    model.Run(program.back());
  }
  program.emplace_back(model::VerifyOp());
  return program;
}

model::Operation Generator::Next(const model::Model& model) {
  if (++steps_ <= 3) return CreateTable(std::array{"composite", "simple", "vectors"}[steps_ - 1]);
  const Table table = AnyTable(model);
  using Draw = model::Operation (Generator::*)(const model::Model&, const Table&);
  static const std::vector<std::pair<size_t, Draw>> draws = {
      {200, &Generator::Put},           {160, &Generator::Update},
      {60, &Generator::Delete},         {60, &Generator::Get},
      {45, &Generator::BatchWrite},     {35, &Generator::BatchGet},
      {140, &Generator::Query},         {70, &Generator::Scan},
      {60, &Generator::TransactWrites}, {20, &Generator::TransactGets},
      {70, &Generator::Statement},      {20, &Generator::BatchStatement},
      {35, &Generator::Search},         {15, &Generator::ChangeIndex},
      {10, &Generator::ChangeTable},    {12, &Generator::ChangeBackup},
      {12, &Generator::ShardIndex},     {6, &Generator::Reopen},
      {3, &Generator::Verify}};
  size_t all = 0;
  for (const auto& [weight, draw] : draws) all += weight;
  size_t choice = Below(all);
  for (const auto& [weight, draw] : draws) {
    if (choice < weight) return (this->*draw)(model, table);
    choice -= weight;
  }
  return model::VerifyOp();
}

Value Generator::KeyValue(const KeyAttribute& attribute) {
  static const std::vector<std::string> texts = {"a", "b", "ab", std::string("a\0", 2), "ä", "b#c"};
  static const std::vector<std::string> numbers = {"0",   "1",    "-1",  "10",   "9",
                                                   "2.5", "-2.5", "1e2", "100.0"};
  if (attribute.type == "N") return model::N(PickOne(numbers));
  return attribute.type == "B" ? model::B(PickOne(texts)) : model::S(PickOne(texts));
}

Item Generator::Key(const Table& table) {
  Item key = {{table.hash.name, KeyValue(table.hash)}};
  if (table.range) key[table.range->name] = KeyValue(*table.range);
  return key;
}

Value Generator::AnyValue(int depth) {
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
      return Value{model::StringSet{{"a", PickOne<std::string>({"b", "", "c"})}}};
    default:
      return Value{model::NumberSet{{model::Decimal("1"), model::Decimal("-2.50")}}};
  }
}

// What usually stands in this attribute; now and then something else.
Value Generator::MakeValue(const std::string& attribute) {
  if (kIndexTypes.contains(attribute)) {
    return Chance(97) ? KeyValue(Typed(attribute)) : AnyValue(0);
  }
  if (Chance(10)) return AnyValue(2);
  if (attribute == "n") return KeyValue({"", "N"});
  if (attribute == "set") {
    return Value{
        model::StringSet{{PickOne<std::string>({"a", "b"}), PickOne<std::string>({"c", "d"})}}};
  }
  if (attribute == "list") {
    model::List list;
    for (size_t i = Below(4); i > 0; --i) list.push_back(AnyValue(1));
    return Value{list};
  }
  if (attribute == "map") return Value{model::Map{{"x", AnyValue(1)}, {"y", KeyValue({"", "N"})}}};
  return AnyValue(1);
}

// Of so few numbers that many are equally near; now and then none that fits.
Value Generator::Vector() {
  if (Chance(3)) return AnyValue(1);
  static const std::vector<std::string> numbers = {"0", "1", "-1", "2", "3", "0.5"};
  return Value{model::List{model::N(PickOne(numbers)), model::N(PickOne(numbers))}};
}

Item Generator::NewItem(const Table& table) {
  Item item;
  for (const auto* names : {&kScalars, &kFree}) {
    for (const std::string& name : *names) {
      if (Chance(names == &kScalars ? 60 : 40)) item[name] = MakeValue(name);
    }
  }
  if (HasVectors(table) && Chance(85)) item["v"] = Vector();
  for (const auto& [name, value] : Key(table)) item[name] = value;
  return item;
}

}  // namespace dynolith::random
