#include "tools/designs/template_values.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "engine/base/strings.h"
#include "tools/designs/json_parts.h"
#include "tools/designs/serverless_file.h"

namespace dynolith::designs {
namespace {

using Kind = JsonTree::Kind;

constexpr std::string_view kNoValue = "AWS::NoValue";
constexpr std::string_view kAccount = "000000000000";
constexpr std::string_view kFunction = "Fn::";
constexpr int kConditionDepthMax = 32;

JsonTree NoValue() { return WordTree(kNoValue); }
bool IsNoValue(const JsonTree& tree) { return tree.kind == Kind::kOther && tree.text == kNoValue; }

// "Fn::Sub" of {"Fn::Sub": …}; empty for all else.
std::string_view FunctionOf(const JsonTree& tree) {
  if (tree.kind != Kind::kMap || tree.members.size() != 1) return "";
  const std::string_view name = tree.members.front().name;
  return name == "Ref" || name.starts_with(kFunction) ? name : "";
}

bool IsScalar(const JsonTree& tree) {
  return tree.kind == Kind::kString || tree.kind == Kind::kOther;
}

}  // namespace

TemplateValues::TemplateValues(const JsonTree& document,
                               const std::map<std::string, std::string>& given, std::string region)
    : document_(document), given_(given), region_(std::move(region)) {}

JsonTree TemplateValues::Resolve(const JsonTree& value, Unknowns* unknown) {
  if (const std::string_view function = FunctionOf(value); !function.empty()) {
    Result result = Call(function, value, value.members.front().value, unknown);
    if (!result) return value;
    result->line = value.line;
    result->column = value.column;
    result->name_line = value.name_line;
    result->name_column = value.name_column;
    return *std::move(result);
  }
  if (value.kind == Kind::kString && value.text.find("{{resolve:") != std::string::npos) {
    const auto given = given_.find(value.text);
    if (given != given_.end()) return TextTree(given->second);
    unknown->push_back({&value, value.text});
    return value;
  }
  if (const std::optional<std::string> variable = VariableIn(value.text)) {
    unknown->push_back({&value, *variable});
    return value;
  }
  JsonTree resolved = value;
  resolved.members.clear();
  resolved.elements.clear();
  for (const auto& [name, member] : value.members) {
    JsonTree made = Resolve(member, unknown);
    if (!IsNoValue(made)) resolved.members.push_back({name, std::move(made)});
  }
  for (const JsonTree& element : value.elements) {
    JsonTree made = Resolve(element, unknown);
    if (!IsNoValue(made)) resolved.elements.push_back(std::move(made));
  }
  return resolved;
}

TemplateValues::Result TemplateValues::Call(std::string_view function, const JsonTree& call,
                                            const JsonTree& argument, Unknowns* unknown) {
  const size_t before = unknown->size();
  const std::string_view name = function.substr(function.starts_with(kFunction) ? 4 : 0);
  Result result;
  std::string wanted;  // what would give it a value
  if (name == "Ref") {
    wanted = argument.text;
    result = Named(wanted);
  } else if (name == "GetAtt") {
    wanted = argument.text;
    for (const JsonTree& part : argument.elements) {
      wanted += (wanted.empty() ? "" : ".") + part.text;
    }
    result = Attribute(wanted);
  } else if (name == "ImportValue") {
    wanted = Resolve(argument, unknown).text;
    const auto given = given_.find(wanted);
    if (given != given_.end()) result = TextTree(given->second);
  } else if (name == "Sub") {
    result = Substituted(argument, unknown);
  } else if (name == "Join") {
    result = Joined(argument, unknown);
  } else if (name == "If") {
    result = Chosen(argument, unknown);
  } else if (name == "Select") {
    result = Selected(argument, unknown);
  } else if (name == "Split") {
    result = Split(argument, unknown);
  } else if (name == "FindInMap") {
    result = Mapped(argument, unknown);
  } else if (name == "ToJsonString") {
    result = TextTree(PrintJson(Resolve(argument, unknown)));
  }
  if (!result && unknown->size() == before) {
    unknown->push_back({&call, wanted.empty() ? std::string(function) : wanted});
  }
  return result;
}

TemplateValues::Result TemplateValues::Named(const std::string& name) const {
  if (const auto given = given_.find(name); given != given_.end()) return TextTree(given->second);
  if (const auto table = tables_.find(name); table != tables_.end()) return TextTree(table->second);
  if (name == kNoValue) return NoValue();
  if (name == "AWS::Region") return TextTree(region_);
  if (name == "AWS::AccountId") return TextTree(kAccount);
  if (name == "AWS::Partition") return TextTree("aws");
  if (name == "AWS::URLSuffix") return TextTree("amazonaws.com");
  const JsonTree* const parameters = document_.Find("Parameters");
  const JsonTree* const parameter = parameters == nullptr ? nullptr : parameters->Find(name);
  const JsonTree* const value = parameter == nullptr ? nullptr : parameter->Find("Default");
  if (value == nullptr) return std::nullopt;
  // What a parameter store holds is not in the file.
  const std::string_view type = TextOf(parameter->Find("Type"));
  if (type.starts_with("AWS::SSM::Parameter::Value")) return std::nullopt;
  return *value;
}

TemplateValues::Result TemplateValues::Attribute(const std::string& name) const {
  if (const auto given = given_.find(name); given != given_.end()) return TextTree(given->second);
  const size_t dot = name.find('.');
  const auto table = tables_.find(name.substr(0, dot));
  if (table == tables_.end() || dot == std::string::npos || name.substr(dot + 1) != "Arn") {
    return std::nullopt;
  }
  return TextTree(Concat("arn:aws:dynamodb:", region_, ":", kAccount, ":table/", table->second));
}

TemplateValues::Result TemplateValues::Substituted(const JsonTree& argument, Unknowns* unknown) {
  const bool has_names = argument.kind == Kind::kList && argument.elements.size() == 2;
  const JsonTree& text = has_names ? argument.elements[0] : argument;
  std::string made;
  std::string_view rest = text.text;
  bool is_whole = true;
  for (size_t begin = rest.find("${"); begin != std::string_view::npos; begin = rest.find("${")) {
    const size_t end = rest.find('}', begin);
    if (end == std::string_view::npos) break;
    made += rest.substr(0, begin);
    std::string name(rest.substr(begin + 2, end - begin - 2));
    rest.remove_prefix(end + 1);
    if (name.starts_with('!')) {
      made += "${" + name.substr(1) + "}";
      continue;
    }
    const JsonTree* const own = has_names ? argument.elements[1].Find(name) : nullptr;
    Result value;
    if (own != nullptr) {
      value = Resolve(*own, unknown);
    } else {
      value = name.find('.') == std::string::npos ? Named(name) : Attribute(name);
    }
    if (!value || !IsScalar(*value)) {
      unknown->push_back({&text, name});
      is_whole = false;
      continue;
    }
    made += value->text;
  }
  if (!is_whole) return std::nullopt;
  return TextTree(made + std::string(rest));
}

TemplateValues::Result TemplateValues::Joined(const JsonTree& argument, Unknowns* unknown) {
  if (argument.elements.size() != 2) return std::nullopt;
  const size_t before = unknown->size();
  const JsonTree parts = Resolve(argument.elements[1], unknown);
  if (unknown->size() > before) return std::nullopt;
  std::string text;
  for (size_t i = 0; i < parts.elements.size(); ++i) {
    if (i > 0) text += argument.elements[0].text;
    text += parts.elements[i].text;
  }
  return TextTree(text);
}

TemplateValues::Result TemplateValues::Chosen(const JsonTree& argument, Unknowns* unknown) {
  if (argument.elements.size() != 3) return std::nullopt;
  const std::optional<bool> is_true = Condition(argument.elements[0].text);
  if (!is_true) return std::nullopt;
  return Resolve(argument.elements[*is_true ? 1 : 2], unknown);
}

TemplateValues::Result TemplateValues::Selected(const JsonTree& argument, Unknowns* unknown) {
  if (argument.elements.size() != 2) return std::nullopt;
  JsonTree list = Resolve(argument.elements[1], unknown);
  // A parameter that is a list stands in one text.
  if (list.kind == Kind::kString) {
    JsonTree parts = ListTree();
    std::string_view rest = list.text;
    for (size_t comma = rest.find(','); comma != std::string_view::npos; comma = rest.find(',')) {
      parts.elements.push_back(TextTree(rest.substr(0, comma)));
      rest.remove_prefix(comma + 1);
    }
    parts.elements.push_back(TextTree(rest));
    list = std::move(parts);
  }
  size_t index = 0;
  const bool is_index = absl::SimpleAtoi(Resolve(argument.elements[0], unknown).text, &index);
  if (!is_index || index >= list.elements.size()) return std::nullopt;
  return list.elements[index];
}

TemplateValues::Result TemplateValues::Split(const JsonTree& argument, Unknowns* unknown) {
  if (argument.elements.size() != 2 || argument.elements[0].text.empty()) return std::nullopt;
  const size_t before = unknown->size();
  const JsonTree text = Resolve(argument.elements[1], unknown);
  if (unknown->size() > before) return std::nullopt;
  const std::string& delimiter = argument.elements[0].text;
  JsonTree parts = ListTree();
  std::string_view rest = text.text;
  for (size_t at = rest.find(delimiter); at != std::string_view::npos; at = rest.find(delimiter)) {
    parts.elements.push_back(TextTree(rest.substr(0, at)));
    rest.remove_prefix(at + delimiter.size());
  }
  parts.elements.push_back(TextTree(rest));
  return parts;
}

TemplateValues::Result TemplateValues::Mapped(const JsonTree& argument, Unknowns* unknown) {
  const JsonTree names = Resolve(argument, unknown);
  const JsonTree* found = document_.Find("Mappings");
  for (size_t i = 0; i < 3 && found != nullptr; ++i) {
    found = i < names.elements.size() ? found->Find(names.elements[i].text) : nullptr;
  }
  if (found == nullptr) return std::nullopt;
  return *found;
}

std::optional<bool> TemplateValues::Condition(std::string_view name) {
  const JsonTree* const conditions = document_.Find("Conditions");
  const JsonTree* const condition = conditions == nullptr ? nullptr : conditions->Find(name);
  if (condition == nullptr || depth_ >= kConditionDepthMax) return std::nullopt;
  ++depth_;
  const std::optional<bool> truth = Truth(*condition);
  --depth_;
  return truth;
}

std::optional<bool> TemplateValues::Truth(const JsonTree& condition) {
  if (condition.kind != Kind::kMap || condition.members.size() != 1) return std::nullopt;
  const auto& [name, argument] = condition.members.front();
  if (name == "Condition") return Condition(argument.text);
  if (name == "Fn::Equals" && argument.elements.size() == 2) {
    Unknowns unknown;
    const JsonTree left = Resolve(argument.elements[0], &unknown);
    const JsonTree right = Resolve(argument.elements[1], &unknown);
    if (!unknown.empty()) return std::nullopt;
    return left.text == right.text;
  }
  if (name == "Fn::Not" && argument.elements.size() == 1) {
    const std::optional<bool> truth = Truth(argument.elements[0]);
    if (!truth) return std::nullopt;
    return !*truth;
  }
  if (name != "Fn::And" && name != "Fn::Or") return std::nullopt;
  const bool decides = name == "Fn::Or";
  bool is_known = true;
  for (const JsonTree& element : argument.elements) {
    const std::optional<bool> truth = Truth(element);
    if (truth == decides) return decides;
    if (!truth) is_known = false;
  }
  if (!is_known) return std::nullopt;
  return !decides;
}

}  // namespace dynolith::designs
