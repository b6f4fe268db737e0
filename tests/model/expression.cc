#include "tests/model/expression.h"

#include <algorithm>
#include <iterator>

namespace dynolith::model {
namespace {

using Kind = Condition::Kind;

const Value* Step(const Value& value, const std::variant<std::string, size_t>& element) {
  if (const std::string* name = std::get_if<std::string>(&element)) {
    const Map* map = value.As<Map>();
    const auto found = map ? map->find(*name) : Map::const_iterator();
    return map && found != map->end() ? &found->second : nullptr;
  }
  const List* list = value.As<List>();
  const size_t index = std::get<size_t>(element);
  return list && index < list->size() ? &(*list)[index] : nullptr;
}

// A tree of what is asked for: empty children mean "all of it".
struct Selection {
  std::map<std::variant<std::string, size_t>, Selection> children;
};

std::optional<Value> Select(const Value& value, const Selection& selection) {
  if (selection.children.empty()) return value;
  Map map;
  List list;
  bool any = false;
  for (const auto& [element, child] : selection.children) {
    const Value* inner = Step(value, element);
    const auto selected = inner ? Select(*inner, child) : std::nullopt;
    if (!selected) continue;
    any = true;
    if (const std::string* name = std::get_if<std::string>(&element)) {
      map[*name] = *selected;
    } else {
      list.push_back(*selected);
    }
  }
  if (!any) return std::nullopt;
  return value.As<Map>() ? Value{map} : Value{list};
}

std::optional<size_t> ValueSize(const Value& value) {
  if (const auto* text = value.As<String>()) return text->text.size();
  if (const auto* binary = value.As<Binary>()) return binary->bytes.size();
  if (const auto* list = value.As<List>()) return list->size();
  if (const auto* map = value.As<Map>()) return map->size();
  if (const auto* set = value.As<StringSet>()) return set->members.size();
  if (const auto* set = value.As<NumberSet>()) return set->members.size();
  if (const auto* set = value.As<BinarySet>()) return set->members.size();
  return std::nullopt;
}

std::optional<Value> Evaluate(const Operand& operand, const Item& item) {
  if (operand.kind == Operand::Kind::kLiteral) return operand.literal;
  const Value* found = Find(item, operand.path);
  if (!found) return std::nullopt;
  if (operand.kind == Operand::Kind::kPath) return *found;
  const auto size = ValueSize(*found);
  if (!size) return std::nullopt;
  return N(std::to_string(*size));
}

bool BeginsWith(const Value& value, const Value& prefix) {
  if (value.As<String>() && prefix.As<String>()) {
    return value.As<String>()->text.starts_with(prefix.As<String>()->text);
  }
  if (value.As<Binary>() && prefix.As<Binary>()) {
    return value.As<Binary>()->bytes.starts_with(prefix.As<Binary>()->bytes);
  }
  return false;
}

bool Contains(const Value& value, const Value& part) {
  if (const auto* list = value.As<List>()) {
    return std::find(list->begin(), list->end(), part) != list->end();
  }
  if (const auto* text = part.As<String>()) {
    if (value.As<String>()) return value.As<String>()->text.find(text->text) != std::string::npos;
    return value.As<StringSet>() && value.As<StringSet>()->members.contains(text->text);
  }
  if (const auto* binary = part.As<Binary>()) {
    if (value.As<Binary>()) {
      return value.As<Binary>()->bytes.find(binary->bytes) != std::string::npos;
    }
    return value.As<BinarySet>() && value.As<BinarySet>()->members.contains(binary->bytes);
  }
  if (const auto* number = part.As<Decimal>()) {
    return value.As<NumberSet>() && value.As<NumberSet>()->members.contains(*number);
  }
  return false;
}

// A predicate of which every operand is there.
bool HoldsPresent(Kind kind, const std::vector<Value>& v) {
  const auto order = [&](size_t i) { return Compare(v[0], v[i]); };
  switch (kind) {
    case Kind::kEqual:
      return v[0] == v[1];
    case Kind::kLess:
      return order(1) && *order(1) < 0;
    case Kind::kLessOrEqual:
      return order(1) && *order(1) <= 0;
    case Kind::kGreater:
      return order(1) && *order(1) > 0;
    case Kind::kGreaterOrEqual:
      return order(1) && *order(1) >= 0;
    case Kind::kBetween:
      return order(1) && order(2) && *order(1) >= 0 && *order(2) <= 0;
    case Kind::kType:
      return TypeName(v[0]) == v[1].As<String>()->text;
    case Kind::kBeginsWith:
      return BeginsWith(v[0], v[1]);
    case Kind::kContains:
      return Contains(v[0], v[1]);
    default:
      return false;
  }
}

// A value to change in `item`, found by all but the last element of the path.
Value* Parent(Value* item, const Path& path) {
  Value* value = item;
  for (size_t i = 0; value && i + 1 < path.size(); ++i) {
    value = const_cast<Value*>(Step(*value, path[i]));
  }
  return value;
}

using Appends = std::map<Value*, std::map<size_t, Value>>;

// Puts a value at a path. What lies beyond the end of a list waits in `appends`.
bool Assign(Value* item, const Path& path, const Value& value, Appends* appends) {
  Value* parent = Parent(item, path);
  if (!parent) return false;
  if (const std::string* name = std::get_if<std::string>(&path.back())) {
    if (!parent->As<Map>()) return false;
    (*parent->As<Map>())[*name] = value;
    return true;
  }
  List* list = parent->As<List>();
  if (!list) return false;
  const size_t index = std::get<size_t>(path.back());
  if (index < list->size()) {
    (*list)[index] = value;
  } else {
    (*appends)[parent][index] = value;
  }
  return true;
}

// nullopt where the service reports an error.
std::optional<Value> Evaluate(const SetValue& set, const Item& old) {
  const auto first = Evaluate(set.operands[0], old);
  if (set.kind == SetValue::Kind::kIfNotExists) {
    return first ? first : Evaluate(set.operands[1], old);
  }
  if (!first || set.kind == SetValue::Kind::kOperand) return first;
  const auto second = Evaluate(set.operands[1], old);
  if (!second) return std::nullopt;
  if (set.kind == SetValue::Kind::kListAppend) {
    if (!first->As<List>() || !second->As<List>()) return std::nullopt;
    List joined = *first->As<List>();
    joined.insert(joined.end(), second->As<List>()->begin(), second->As<List>()->end());
    return Value{joined};
  }
  if (!first->As<Decimal>() || !second->As<Decimal>()) return std::nullopt;
  const Decimal& a = *first->As<Decimal>();
  const Decimal& b = *second->As<Decimal>();
  const Decimal result = set.kind == SetValue::Kind::kAdd ? a + b : a - b;
  if (!result.Fits()) return std::nullopt;
  return Value{result};
}

// The value that ADD makes of an old one; nullopt is an error.
std::optional<Value> Added(const Value* old, const Value& value) {
  if (!old) return value;
  if (old->As<Decimal>() && value.As<Decimal>()) {
    const Decimal sum = *old->As<Decimal>() + *value.As<Decimal>();
    return sum.Fits() ? std::optional<Value>(Value{sum}) : std::nullopt;
  }
  const auto joined = [](const auto& a, const auto& b) {
    auto all = a;
    all.members.insert(b.members.begin(), b.members.end());
    return Value{all};
  };
  if (old->As<StringSet>() && value.As<StringSet>()) {
    return joined(*old->As<StringSet>(), *value.As<StringSet>());
  }
  if (old->As<NumberSet>() && value.As<NumberSet>()) {
    return joined(*old->As<NumberSet>(), *value.As<NumberSet>());
  }
  if (old->As<BinarySet>() && value.As<BinarySet>()) {
    return joined(*old->As<BinarySet>(), *value.As<BinarySet>());
  }
  return std::nullopt;
}

// Removes members; false is an error.
bool DeleteMembers(Map* item, const std::string& name, const Value& value) {
  const auto found = item->find(name);
  if (found == item->end()) return true;
  const auto reduce = [&](auto* from, const auto& what) {
    for (const auto& member : what.members) from->members.erase(member);
    if (from->members.empty()) item->erase(name);
    return true;
  };
  Value& old = found->second;
  if (old.As<StringSet>() && value.As<StringSet>()) {
    return reduce(old.As<StringSet>(), *value.As<StringSet>());
  }
  if (old.As<NumberSet>() && value.As<NumberSet>()) {
    return reduce(old.As<NumberSet>(), *value.As<NumberSet>());
  }
  if (old.As<BinarySet>() && value.As<BinarySet>()) {
    return reduce(old.As<BinarySet>(), *value.As<BinarySet>());
  }
  return false;
}

// Removes what the paths name; list indexes are those of before. False is an error.
bool Remove(Value* item, const std::vector<Path>& paths, bool exists) {
  std::map<Value*, std::vector<size_t>> indexes;
  for (const Path& path : paths) {
    Value* parent = Parent(item, path);
    const bool by_name = std::holds_alternative<std::string>(path.back());
    const bool fits =
        parent && (by_name ? parent->As<Map>() != nullptr : parent->As<List>() != nullptr);
    if (!fits && exists) return false;
    if (!fits) continue;
    if (by_name) {
      parent->As<Map>()->erase(std::get<std::string>(path.back()));
    } else {
      indexes[parent].push_back(std::get<size_t>(path.back()));
    }
  }
  for (auto& [parent, removed] : indexes) {
    std::sort(removed.rbegin(), removed.rend());
    List& list = *parent->As<List>();
    for (const size_t index : removed) {
      if (index < list.size()) list.erase(list.begin() + static_cast<ptrdiff_t>(index));
    }
  }
  return true;
}

}  // namespace

const Value* Find(const Item& item, const Path& path) {
  const auto found = item.find(std::get<std::string>(path[0]));
  const Value* value = found == item.end() ? nullptr : &found->second;
  for (size_t i = 1; value && i < path.size(); ++i) value = Step(*value, path[i]);
  return value;
}

Item Project(const Item& item, const std::vector<Path>& paths) {
  Selection root;
  for (const Path& path : paths) {
    Selection* selection = &root;
    for (const auto& element : path) selection = &selection->children[element];
  }
  if (root.children.empty()) return {};
  const auto selected = Select(Value{item}, root);
  return selected ? *selected->As<Map>() : Item();
}

bool Holds(const Condition& condition, const Item& item) {
  switch (condition.kind) {
    case Kind::kAnd:
      return Holds(condition.parts[0], item) && Holds(condition.parts[1], item);
    case Kind::kOr:
      return Holds(condition.parts[0], item) || Holds(condition.parts[1], item);
    case Kind::kNot:
      return !Holds(condition.parts[0], item);
    case Kind::kExists:
      return Find(item, condition.operands[0].path) != nullptr;
    case Kind::kNotExists:
      return Find(item, condition.operands[0].path) == nullptr;
    default:
      break;
  }
  std::vector<std::optional<Value>> values;
  for (const Operand& operand : condition.operands) values.push_back(Evaluate(operand, item));
  if (condition.kind == Kind::kNotEqual) {
    // What has no size compares to nothing (api/facts/expressions.md §4).
    for (size_t i = 0; i < 2; ++i) {
      if (condition.operands[i].kind == Operand::Kind::kSize && !values[i]) return false;
    }
    return !values[0] || !values[1] || !(*values[0] == *values[1]);
  }
  if (condition.kind == Kind::kIn) {
    return values[0] && std::any_of(values.begin() + 1, values.end(), [&](const auto& value) {
             return value && *value == *values[0];
           });
  }
  std::vector<Value> present;
  for (const auto& value : values) {
    if (!value) return false;
    present.push_back(*value);
  }
  return HoldsPresent(condition.kind, present);
}

std::vector<Path> Update::Touched() const {
  std::vector<Path> paths = remove;
  for (const auto& [path, value] : set) paths.push_back(path);
  for (const auto& [path, value] : add) paths.push_back(path);
  for (const auto& [path, value] : del) paths.push_back(path);
  return paths;
}

std::optional<Item> Apply(const Update& update, const Item& old, bool exists) {
  Value item{old};
  Appends appends;
  for (const auto& [path, set] : update.set) {
    const auto value = Evaluate(set, old);
    if (!value || !Assign(&item, path, *value, &appends)) return std::nullopt;
  }
  for (const auto& [path, value] : update.add) {
    const auto sum = Added(Find(old, path), value);
    if (!sum || !Assign(&item, path, *sum, &appends)) return std::nullopt;
  }
  for (const auto& [path, value] : update.del) {
    if (!DeleteMembers(item.As<Map>(), std::get<std::string>(path[0]), value)) return std::nullopt;
  }
  if (!Remove(&item, update.remove, exists)) return std::nullopt;
  for (auto& [list, values] : appends) {
    for (auto& [index, value] : values) list->As<List>()->push_back(value);
  }
  return *item.As<Map>();
}

}  // namespace dynolith::model
