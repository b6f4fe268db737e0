// Expressions as texts: the service's own, and the parts of PartiQL's statements.
#include <map>
#include <string>
#include <vector>

#include "tests/model/expression.h"

namespace dynolith::model {

using Kind = Condition::Kind;

namespace {

std::string OperandText(const Operand& operand, Placeholders* placeholders) {
  if (operand.kind == Operand::Kind::kLiteral) return placeholders->Literal(operand.literal);
  const std::string path = placeholders->PathText(operand.path);
  return operand.kind == Operand::Kind::kSize ? "size(" + path + ")" : path;
}

std::string SetText(const SetValue& set, Placeholders* placeholders) {
  const std::string first = OperandText(set.operands[0], placeholders);
  if (set.kind == SetValue::Kind::kOperand) return first;
  const std::string second = OperandText(set.operands[1], placeholders);
  switch (set.kind) {
    case SetValue::Kind::kAdd:
      return first + " + " + second;
    case SetValue::Kind::kSubtract:
      return first + " - " + second;
    case SetValue::Kind::kIfNotExists:
      return "if_not_exists(" + first + ", " + second + ")";
    default:
      return "list_append(" + first + ", " + second + ")";
  }
}

}  // namespace

std::string Placeholders::Name(const std::string& name) {
  if (language_ == Language::kPartiQl) return '"' + name + '"';
  for (const auto& [placeholder, known] : names_) {
    if (known == name) return placeholder;
  }
  const std::string placeholder = "#n" + std::to_string(names_.size());
  names_[placeholder] = name;
  return placeholder;
}

std::string Placeholders::Literal(const Value& value) {
  if (language_ == Language::kPartiQl) {
    parameters_.push_back(value);
    return "?";
  }
  const std::string placeholder = ":v" + std::to_string(values_.size());
  values_[placeholder] = value;
  return placeholder;
}

std::string Placeholders::PathText(const Path& path) {
  std::string text;
  for (const auto& element : path) {
    if (const std::string* name = std::get_if<std::string>(&element)) {
      text += (text.empty() ? "" : ".") + Name(*name);
    } else {
      text += "[" + std::to_string(std::get<size_t>(element)) + "]";
    }
  }
  return text;
}

std::string Print(const Condition& condition, Placeholders* placeholders) {
  const auto operand = [&](size_t i) { return OperandText(condition.operands[i], placeholders); };
  const auto part = [&](size_t i) { return "(" + Print(condition.parts[i], placeholders) + ")"; };
  const auto call = [&](const std::string& name) {
    std::string text = name + "(" + operand(0);
    if (condition.operands.size() > 1) text += ", " + operand(1);
    return text + ")";
  };
  static const std::map<Kind, std::string> comparators = {
      {Kind::kEqual, " = "},        {Kind::kNotEqual, " <> "}, {Kind::kLess, " < "},
      {Kind::kLessOrEqual, " <= "}, {Kind::kGreater, " > "},   {Kind::kGreaterOrEqual, " >= "}};
  static const std::map<Kind, std::string> functions = {{Kind::kExists, "attribute_exists"},
                                                        {Kind::kNotExists, "attribute_not_exists"},
                                                        {Kind::kType, "attribute_type"},
                                                        {Kind::kBeginsWith, "begins_with"},
                                                        {Kind::kContains, "contains"}};
  if (comparators.contains(condition.kind)) {
    const std::string first = operand(0);
    return first + comparators.at(condition.kind) + operand(1);
  }
  if (functions.contains(condition.kind)) return call(functions.at(condition.kind));
  if (condition.kind == Kind::kNot) return "NOT " + part(0);
  if (condition.kind == Kind::kBetween) {
    const std::string first = operand(0);
    const std::string low = operand(1);
    return first + " BETWEEN " + low + " AND " + operand(2);
  }
  if (condition.kind == Kind::kIn) {
    std::string text = operand(0) + " IN (";
    for (size_t i = 1; i < condition.operands.size(); ++i) {
      if (i > 1) text += ", ";
      text += operand(i);
    }
    return text + ")";
  }
  const std::string first = part(0);
  return first + (condition.kind == Kind::kAnd ? " AND " : " OR ") + part(1);
}

std::string Print(const Update& update, Placeholders* placeholders) {
  std::string text;
  const auto section = [&](const std::string& keyword, const auto& clauses, const auto& print) {
    if (clauses.empty()) return;
    text += (text.empty() ? "" : " ") + keyword;
    for (size_t i = 0; i < clauses.size(); ++i) text += (i == 0 ? " " : ", ") + print(clauses[i]);
  };
  const auto path_and_value = [&](const std::pair<Path, Value>& clause) {
    const std::string path = placeholders->PathText(clause.first);
    return path + " " + placeholders->Literal(clause.second);
  };
  section("SET", update.set, [&](const std::pair<Path, SetValue>& clause) {
    const std::string path = placeholders->PathText(clause.first);
    return path + " = " + SetText(clause.second, placeholders);
  });
  section("REMOVE", update.remove, [&](const Path& path) { return placeholders->PathText(path); });
  section("ADD", update.add, path_and_value);
  section("DELETE", update.del, path_and_value);
  return text;
}

std::string PrintClauses(const Update& update, Placeholders* placeholders) {
  std::string text;
  for (const auto& [path, set] : update.set) {
    text += " SET " + placeholders->PathText(path) + " = ";
    text += SetText(set, placeholders);
  }
  for (const Path& path : update.remove) text += " REMOVE " + placeholders->PathText(path);
  return text;
}

std::string Print(const std::vector<Path>& projection, Placeholders* placeholders) {
  std::string text;
  for (const Path& path : projection) {
    text += (text.empty() ? "" : ", ") + placeholders->PathText(path);
  }
  return text;
}

}  // namespace dynolith::model
