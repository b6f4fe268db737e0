#include "tools/files/templates/template_rules.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/strings.h"
#include "engine/text/nearest_word.h"
#include "tools/files/table/json_parts.h"
#include "tools/files/templates/messages.h"
#include "tools/files/templates/template_parameters.h"

namespace dynolith::designs {
namespace {

using Kind = JsonTree::Kind;
using UnknownValues = TemplateValues::UnknownValues;
using ConditionResult = std::optional<bool>;

constexpr size_t kConditionsMax = 10;

const std::vector<std::string>& RuleMembers() {
  static const std::vector<std::string> names = {"RuleCondition", "Assertions"};
  return names;
}
const std::vector<std::string>& AssertionMembers() {
  static const std::vector<std::string> names = {"Assert", "AssertDescription"};
  return names;
}

bool IsCall(const JsonTree& tree) { return tree.kind == Kind::kMap && tree.members.size() == 1; }
bool IsTextList(const JsonTree& list, size_t size) {
  return list.kind == Kind::kList && list.elements.size() == size &&
         std::all_of(list.elements.begin(), list.elements.end(),
                     [](const JsonTree& element) { return IsScalar(element); });
}
bool Holds(const std::vector<JsonTree>& list, const std::string& text) {
  return std::any_of(list.begin(), list.end(),
                     [&](const JsonTree& element) { return element.text == text; });
}

// Evaluates the expressions of rules.
class Expressions {
 public:
  Expressions(const JsonTree& document, TemplateValues* values)
      : document_(document), values_(*values) {}

  // nullopt: `unknown` names the missing value, or says what is wrong with the expression.
  ConditionResult IsTrue(const JsonTree& expression, UnknownValues* unknown) {
    if (!IsCall(expression)) return Wrong(expression, messages::TemplateNoTruth(), unknown);
    const JsonTree::Member& call = expression.members.front();
    if (call.name == "Fn::And") return AllOrAny(/*is_any=*/false, expression, unknown);
    if (call.name == "Fn::Or") return AllOrAny(/*is_any=*/true, expression, unknown);
    if (call.name == "Fn::Not") return Not(expression, unknown);
    if (call.name == "Fn::Equals") return Compare(expression, Are, unknown);
    if (call.name == "Fn::Contains") return Compare(expression, Contains, unknown);
    if (call.name == "Fn::EachMemberEquals") return Compare(expression, EachEquals, unknown);
    if (call.name == "Fn::EachMemberIn") return Compare(expression, EachIn, unknown);
    return Wrong(expression,
                 IsValueCall(call.name) ? messages::TemplateNoTruth()
                                        : messages::TemplateNoRuleFunction(call.name),
                 unknown);
  }

 private:
  // nullopt: the function does not accept these kinds of values.
  using Comparison = ConditionResult (*)(const JsonTree& left, const JsonTree& right);

  static ConditionResult Are(const JsonTree& left, const JsonTree& right) {
    if (IsScalar(left) && IsScalar(right)) return left.text == right.text;
    return PrintJson(left) == PrintJson(right);
  }
  static ConditionResult Contains(const JsonTree& left, const JsonTree& right) {
    if (left.kind != Kind::kList || !IsScalar(right)) return std::nullopt;
    return Holds(left.elements, right.text);
  }
  static ConditionResult EachEquals(const JsonTree& left, const JsonTree& right) {
    if (left.kind != Kind::kList || !IsScalar(right)) return std::nullopt;
    return std::all_of(left.elements.begin(), left.elements.end(),
                       [&](const JsonTree& element) { return element.text == right.text; });
  }
  static ConditionResult EachIn(const JsonTree& left, const JsonTree& right) {
    if (left.kind != Kind::kList || right.kind != Kind::kList) return std::nullopt;
    return std::all_of(left.elements.begin(), left.elements.end(), [&](const JsonTree& element) {
      return Holds(right.elements, element.text);
    });
  }

  static bool IsValueCall(std::string_view name) {
    return name == "Ref" || name == "Fn::RefAll" || name == "Fn::ValueOf" ||
           name == "Fn::ValueOfAll";
  }

  ConditionResult Compare(const JsonTree& expression, Comparison compare, UnknownValues* unknown) {
    const auto& [function, argument] = expression.members.front();
    if (argument.kind != Kind::kList || argument.elements.size() != 2) {
      return Wrong(expression, messages::TemplateMalformed(function), unknown);
    }
    const std::optional<JsonTree> left = Value(argument.elements[0], unknown);
    const std::optional<JsonTree> right = Value(argument.elements[1], unknown);
    if (!left || !right) return std::nullopt;
    const ConditionResult truth = compare(*left, *right);
    if (!truth) return Wrong(expression, messages::TemplateMalformed(function), unknown);
    return truth;
  }

  ConditionResult Not(const JsonTree& expression, UnknownValues* unknown) {
    const JsonTree& argument = expression.members.front().value;
    if (argument.kind != Kind::kList || argument.elements.size() != 1) {
      return Wrong(expression, messages::TemplateMalformed("Fn::Not"), unknown);
    }
    const ConditionResult truth = IsTrue(argument.elements[0], unknown);
    if (!truth) return std::nullopt;
    return !*truth;
  }

  // An operand without a value does not matter if another one decides the result; a wrong one does.
  ConditionResult AllOrAny(bool is_any, const JsonTree& expression, UnknownValues* unknown) {
    const auto& [function, argument] = expression.members.front();
    const size_t count = argument.elements.size();
    if (argument.kind != Kind::kList || count < 2 || count > kConditionsMax) {
      return Wrong(expression, messages::TemplateMalformed(function), unknown);
    }
    UnknownValues lacking;
    bool is_decided = false;
    for (const JsonTree& element : argument.elements) {
      is_decided |= IsTrue(element, &lacking) == is_any;
    }
    const bool is_sound = std::all_of(lacking.begin(), lacking.end(),
                                      [](const auto& lacks) { return lacks.error.empty(); });
    if (is_decided && is_sound) return is_any;
    unknown->insert(unknown->end(), lacking.begin(), lacking.end());
    if (!lacking.empty()) return std::nullopt;
    return !is_any;
  }

  // The value of an operand: a text, or a list of texts.
  std::optional<JsonTree> Value(const JsonTree& value, UnknownValues* unknown) {
    if (IsScalar(value)) return values_.Resolve(value, unknown);
    if (value.kind == Kind::kList) return List(value, unknown);
    if (!IsCall(value)) return Wrong(value, messages::TemplateMalformed("this"), unknown);
    const auto& [function, argument] = value.members.front();
    if (function == "Ref") return Referred(value, unknown);
    if (function == "Fn::RefAll") return All(value, unknown);
    if (function == "Fn::ValueOf") return ResolveAttribute(value, unknown);
    if (function == "Fn::ValueOfAll") return AttributeOfAll(value, unknown);
    return Wrong(value, messages::TemplateNoRuleFunction(function), unknown);
  }
  std::optional<JsonTree> List(const JsonTree& list, UnknownValues* unknown) {
    const size_t before = unknown->size();
    JsonTree all = ListTree();
    for (const JsonTree& element : list.elements) {
      std::optional<JsonTree> value = Value(element, unknown);
      if (!value) continue;
      if (!IsScalar(*value)) {
        Wrong(element, messages::TemplateMalformed("this"), unknown);
      } else {
        all.elements.push_back(*std::move(value));
      }
    }
    if (unknown->size() > before) return std::nullopt;
    return all;
  }

  // Only parameters are allowed: rules are checked before any resource is made.
  std::optional<JsonTree> Referred(const JsonTree& call, UnknownValues* unknown) {
    const std::string& name = call.members.front().value.text;
    if (FindParameter(document_, name) == nullptr && !name.starts_with("AWS::")) {
      return Wrong(call, messages::TemplateNoParameter(name), unknown);
    }
    const size_t before = unknown->size();
    JsonTree value = values_.Resolve(call, unknown);
    if (unknown->size() > before) return std::nullopt;
    return value;
  }
  // The values that an account has for a type are in no file, so the command line must give them.
  std::optional<JsonTree> All(const JsonTree& call, UnknownValues* unknown) {
    const JsonTree& type = call.members.front().value;
    if (!IsScalar(type) || !type.text.starts_with("AWS::")) {
      return Wrong(call, messages::TemplateMalformed("Fn::RefAll"), unknown);
    }
    return Given(call, type.text, /*is_list=*/true, unknown);
  }
  std::optional<JsonTree> ResolveAttribute(const JsonTree& call, UnknownValues* unknown) {
    const JsonTree& argument = call.members.front().value;
    if (!IsTextList(argument, 2)) {
      return Wrong(call, messages::TemplateMalformed("Fn::ValueOf"), unknown);
    }
    const std::string& name = argument.elements[0].text;
    const JsonTree* const parameter = FindParameter(document_, name);
    if (parameter == nullptr) return Wrong(call, messages::TemplateNoParameter(name), unknown);
    return Given(call, Concat(name, ".", argument.elements[1].text), IsListParameter(*parameter),
                 unknown);
  }
  std::optional<JsonTree> AttributeOfAll(const JsonTree& call, UnknownValues* unknown) {
    const JsonTree& argument = call.members.front().value;
    if (!IsTextList(argument, 2) || !argument.elements[0].text.starts_with("AWS::")) {
      return Wrong(call, messages::TemplateMalformed("Fn::ValueOfAll"), unknown);
    }
    const std::string name = Concat(argument.elements[0].text, ".", argument.elements[1].text);
    return Given(call, name, /*is_list=*/true, unknown);
  }
  std::optional<JsonTree> Given(const JsonTree& call, const std::string& name, bool is_list,
                                UnknownValues* unknown) {
    std::optional<JsonTree> given = values_.Given(name, is_list);
    if (given) return given;
    return Lacks(call, name, unknown);
  }

  const JsonTree& document_;
  TemplateValues& values_;
};

class RuleCheck {
 public:
  RuleCheck(const std::string& file, const JsonTree& document, TemplateValues* values,
            Findings* findings)
      : file_(file),
        document_(document),
        values_(*values),
        expressions_(document, values),
        findings_(findings) {}

  void Check(const JsonTree::Member& rule) {
    const auto& [name, value] = rule;
    const JsonTree* const assertions = value.Find("Assertions");
    const bool is_rule = value.kind == Kind::kMap && assertions != nullptr &&
                         assertions->kind == Kind::kList && !assertions->elements.empty();
    if (!is_rule)
      return findings_->Fail(LocationInFile(file_, value), messages::TemplateNoRule(name));
    if (!HasOnly(value, RuleMembers())) return;
    if (const JsonTree* const condition = value.Find("RuleCondition")) {
      if (!Truly(name, *condition).value_or(false)) return;
    }
    for (const JsonTree& assertion : assertions->elements) CheckAssertion(name, assertion);
  }

 private:
  void CheckAssertion(const std::string& rule, const JsonTree& assertion) {
    const JsonTree* const asserted = assertion.Find("Assert");
    if (asserted == nullptr) {
      return findings_->Fail(LocationInFile(file_, assertion), messages::TemplateNoRule(rule));
    }
    if (!HasOnly(assertion, AssertionMembers())) return;
    if (Truly(rule, *asserted).value_or(true)) return;
    findings_->Fail(
        LocationInFile(file_, *asserted),
        messages::TemplateRuleFails(rule, MemberText(assertion.Find("AssertDescription"))));
  }

  bool HasOnly(const JsonTree& map, const std::vector<std::string>& names) {
    const size_t errors = findings_->errors();
    for (const auto& [name, value] : map.members) {
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      findings_->Fail(LocationInFile(file_, value),
                      messages::TemplateNoPartOfRule(name, NearestWord(name, names)));
    }
    return findings_->errors() == errors;
  }

  // nullopt: the expression has no value; the reason is reported.
  ConditionResult Truly(const std::string& rule, const JsonTree& expression) {
    UnknownValues unknown;
    const ConditionResult truth = expressions_.IsTrue(expression, &unknown);
    if (truth) return truth;
    const bool is_stored = std::all_of(unknown.begin(), unknown.end(), [&](const auto& lacks) {
      return lacks.error.empty() && IsStored(lacks.name);
    });
    if (!is_stored) values_.Report(file_, unknown, findings_);
    for (const TemplateValues::UnknownValue& lacks : unknown) {
      if (!is_stored) break;
      findings_->Warn({file_, lacks.at.line, lacks.at.column},
                      messages::TemplateRuleUnchecked(rule, lacks.name));
    }
    return std::nullopt;
  }
  // Whether the value of this parameter is stored in AWS Systems Manager.
  bool IsStored(const std::string& name) const {
    const JsonTree* const parameter = FindParameter(document_, name);
    return parameter != nullptr && IsStoredParameter(*parameter);
  }

  const std::string& file_;
  const JsonTree& document_;
  TemplateValues& values_;
  Expressions expressions_;
  Findings* const findings_;
};

}  // namespace

void CheckRules(const std::string& file, const JsonTree& document, TemplateValues* values,
                Findings* findings) {
  const JsonTree* const rules = document.Find("Rules");
  if (rules == nullptr) return;
  RuleCheck check(file, document, values, findings);
  for (const JsonTree::Member& rule : rules->members) check.Check(rule);
}

}  // namespace dynolith::designs
