// Conditions, projections and the like, on attributes that often exist and values that often
// collide.
#include <algorithm>
#include <utility>

#include "tests/random/generator.h"

namespace dynolith::random {

using model::Condition;
using model::Operand;
using model::Path;
using model::Value;

using Kind = model::Condition::Kind;

Path Generator::AnyPath() {
  if (Chance(25)) {
    return PickOne<Path>({{"map", "x"},
                          {"map", "y"},
                          {"map", "x", "y"},
                          {"list", size_t{0}},
                          {"list", size_t{1}},
                          {"list", size_t{0}, "x"}});
  }
  return {PickOne(Chance(50) ? kScalars : kFree)};
}

Operand Generator::Literal(const Value& value) {
  return {.kind = Operand::Kind::kLiteral, .path = {}, .literal = value};
}

Operand Generator::AnyOperand() {
  if (Chance(15)) return {.kind = Operand::Kind::kSize, .path = AnyPath(), .literal = {}};
  return {.kind = Operand::Kind::kPath, .path = AnyPath(), .literal = {}};
}

// The service refuses literals without an order beside < and its family, and bounds upside down.
Condition Generator::Comparison() {
  static const std::vector<Kind> kinds = {Kind::kEqual,   Kind::kNotEqual,
                                          Kind::kLess,    Kind::kLessOrEqual,
                                          Kind::kGreater, Kind::kGreaterOrEqual};
  Condition condition{.kind = PickOne(kinds), .operands = {AnyOperand()}};
  const bool equality = condition.kind == Kind::kEqual || condition.kind == Kind::kNotEqual;
  if (Chance(15)) {
    const Operand other = AnyOperand();
    if (!(other.path == condition.operands[0].path)) {
      condition.operands.push_back(other);
      return condition;
    }
  }
  const std::string type = PickOne<std::string>({"S", "N", "B"});
  condition.operands.push_back(
      Literal(equality && Chance(40) ? MakeValue(PickOne(kFree)) : KeyValue({"", type})));
  if (Chance(20)) std::swap(condition.operands[0], condition.operands[1]);
  return condition;
}

Condition Generator::Predicate() {
  const Operand path{.kind = Operand::Kind::kPath, .path = AnyPath(), .literal = {}};
  const std::string type = PickOne<std::string>({"S", "N", "B"});
  switch (Below(9)) {
    case 0:
      return {.kind = Kind::kExists, .operands = {path}};
    case 1:
      return {.kind = Kind::kNotExists, .operands = {path}};
    case 2:
      return {.kind = Kind::kType,
              .operands = {path, Literal(model::S(PickOne<std::string>(
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
      return {
          .kind = Kind::kIn,
          .operands = {path, Literal(MakeValue(PickOne(kFree))), Literal(KeyValue({"", type}))}};
    default:
      return Comparison();
  }
}

Condition Generator::AnyCondition(int depth) {
  if (depth == 0 || Chance(50)) return Predicate();
  if (Chance(25)) return {.kind = Kind::kNot, .parts = {AnyCondition(depth - 1)}};
  return {.kind = Chance(50) ? Kind::kAnd : Kind::kOr,
          .parts = {AnyCondition(depth - 1), AnyCondition(depth - 1)}};
}

// A condition on these attributes only.
Condition Generator::FilterFor(const std::vector<std::string>& attributes, int depth) {
  Condition condition = AnyCondition(depth);
  std::vector<Condition*> pending = {&condition};
  while (!pending.empty()) {
    Condition* part = pending.back();
    pending.pop_back();
    for (Condition& inner : part->parts) pending.push_back(&inner);
    for (Operand& operand : part->operands) {
      if (operand.kind != Operand::Kind::kLiteral) operand.path[0] = PickOne(attributes);
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
std::vector<Path> Generator::AnyProjection() {
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

}  // namespace dynolith::random
