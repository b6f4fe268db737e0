// An update by a seed: an item, values and a text, of which most can be applied. Every kind of
// action and operand comes.
#ifndef DYNOLITH_TESTS_UNIT_EXPR_RANDOM_UPDATE_H_
#define DYNOLITH_TESTS_UNIT_EXPR_RANDOM_UPDATE_H_

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "engine/value/item.h"

namespace dynolith {

class RandomUpdate {
 public:
  explicit RandomUpdate(uint32_t seed) : random_(seed) {
    FillItem();
    std::vector<std::string> sets, adds, removes, deletes;
    std::vector<std::string> targets = {"x",    "longer_name", "s",   "l[0]",
                                        "l[7]", "m.s",         "m.x", "m.l[1]"};
    std::shuffle(targets.begin(), targets.end(), random_);
    targets.resize(Below(4));
    for (const std::string& target : targets) sets.push_back(target + " = " + Operand());
    if (Below(3) == 0) adds.push_back("n " + Placeholder(RandomNumber()));
    if (Below(3) == 0) adds.push_back("fresh " + Placeholder(RandomNumber()));
    if (Below(3) == 0) adds.push_back("m.n " + Placeholder(RandomNumber()));
    if (Below(3) == 0) adds.push_back("ns " + Placeholder(RandomNumbers()));
    if (Below(3) == 0) removes.push_back("m.r");
    if (Below(3) == 0 || sets.empty()) removes.push_back("r");
    if (Below(3) == 0) deletes.push_back("ss " + Placeholder(Value::SS({"a", RandomText()})));
    AddSection("SET ", sets);
    AddSection("REMOVE ", removes);
    AddSection("ADD ", adds);
    AddSection("DELETE ", deletes);
  }

  std::string text;
  Item values;
  Item item;

  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>(random_() % bound); }
  // Stands in `values` for the value.
  std::string Placeholder(const Value& value) {
    std::string name = ":v" + std::to_string(values.size());
    values.Set(name, value);
    return name;
  }

 private:
  std::string RandomText() { return std::string(1 + Below(12), static_cast<char>('a' + Below(4))); }
  // Of 1 or of all digits that there may be, with either sign.
  Value RandomNumber() { return Value::N(RandomNumber(Below(2) == 0 ? 1 : 38)); }
  Number RandomNumber(size_t digits) {
    std::string number = Below(2) == 0 ? "-" : "";
    for (size_t i = 0; i < digits; ++i) number += static_cast<char>('1' + Below(9));
    return Number::Parse(number + "E" + std::to_string(Below(2))).value();
  }
  Value RandomNumbers() { return Value::NS({RandomNumber(38), RandomNumber(3)}); }
  Value RandomList() { return Value::L({Value::S(RandomText()), Value::Null(), RandomNumber()}); }
  Value RandomValue() {
    switch (Below(6)) {
      case 0:
        return Value::S(RandomText());
      case 1:
        return RandomNumber();
      case 2:
        return RandomList();
      case 3:
        return Value::M({{RandomText(), RandomList()}, {"z", Value::Bool(true)}});
      case 4:
        return RandomNumbers();
      default:
        return Value::Null();
    }
  }

  void FillItem() {
    item =
        Item{{"pk", Value::S("a")}, {"n", RandomNumber()},   {"s", RandomValue()},
             {"l", RandomList()},   {"ns", RandomNumbers()}, {"ss", Value::SS({"a", "aa", "b"})}};
    item.Set("m", Value::M({{"n", RandomNumber()},
                            {"s", Value::S(RandomText())},
                            {"l", RandomList()},
                            {"r", RandomValue()}}));
    if (Below(2) == 0) item.Set("r", RandomValue());
  }

  std::string Operand() {
    switch (Below(10)) {
      case 0:
        return Placeholder(RandomValue());
      case 1:
        return Below(2) == 0 ? "s" : "m.l[2]";
      case 2:
        return "n + " + Placeholder(RandomNumber());
      case 3:
        return Placeholder(RandomNumber()) + " - m.n";
      case 4:
        return "n - m.n";
      case 5:
        return "if_not_exists(absent.a[1], " + Placeholder(RandomValue()) + ")";
      case 6:
        return "if_not_exists(m, " + Placeholder(RandomValue()) + ")";
      case 7:
        return "list_append(l, " + Placeholder(RandomList()) + ")";
      case 8:
        return "list_append(l, m.l)";
      default:
        return "if_not_exists(absent, n) + " + Placeholder(RandomNumber());
    }
  }

  void AddSection(std::string_view keyword, const std::vector<std::string>& actions) {
    for (size_t i = 0; i < actions.size(); ++i) {
      text.append(i > 0 ? ", " : keyword).append(actions[i]);
    }
    if (!actions.empty()) text.append(" ");
  }

  std::mt19937 random_;
};

}  // namespace dynolith

#endif  // DYNOLITH_TESTS_UNIT_EXPR_RANDOM_UPDATE_H_
