#include "tools/files/templates/template_values.h"

#include <algorithm>
#include <utility>

#include "engine/base/strings.h"
#include "tools/files/table/json_parts.h"
#include "tools/files/templates/messages.h"
#include "tools/files/templates/serverless_variables.h"
#include "tools/files/templates/template_functions.h"
#include "tools/files/templates/template_parameters.h"

namespace dynolith::designs {
namespace {

using Kind = JsonTree::Kind;

constexpr std::string_view kNoValue = "AWS::NoValue";
constexpr std::string_view kFunction = "Fn::";
// The limit of conditions that refer to one another, since they are evaluated recursively.
constexpr size_t kConditionDepthMax = 500;
// The limit of the bytes that all functions return: several times the limit of a template's size.
constexpr size_t kGivenBytesMax = size_t{16} << 20;
// The stack's name where none is given.
constexpr std::string_view kStackName = "local";
constexpr std::string_view kStackUuid = "00000000-0000-0000-0000-000000000000";
constexpr std::string_view kDynamicBegin = "{{resolve:";
constexpr std::string_view kDynamicEnd = "}}";

JsonTree NoValue() { return WordTree(kNoValue); }

// "Ref", or e.g. "Fn::Sub" for {"Fn::Sub": …}; empty for any other value.
std::string_view FunctionName(const JsonTree& tree) {
  if (tree.kind != Kind::kMap || tree.members.size() != 1) return "";
  const std::string_view name = tree.members.front().name;
  return name == "Ref" || name.starts_with(kFunction) ? name : "";
}

bool IsValue(const JsonTree& tree) { return IsScalar(tree) && !IsNoValue(tree); }

JsonLocation PlaceIn(const JsonTree& tree) {
  if (tree.name_line > 0) return {tree.name_line, tree.name_column};
  return {tree.line, tree.column};
}

void CopyPlace(const JsonTree& from, JsonTree* to) {
  to->line = from.line;
  to->column = from.column;
  to->name_line = from.name_line;
  to->name_column = from.name_column;
}

// Skips those that are there already, since conditions that refer to one another may lack the same
// value on every path.
void AddNew(const TemplateValues::UnknownValues& from, TemplateValues::UnknownValues* to) {
  for (const TemplateValues::UnknownValue& lacks : from) {
    const bool is_there =
        std::any_of(to->begin(), to->end(), [&](const TemplateValues::UnknownValue& other) {
          return other.at.line == lacks.at.line && other.at.column == lacks.at.column &&
                 other.name == lacks.name && other.error == lacks.error;
        });
    if (!is_there) to->push_back(lacks);
  }
}

const JsonTree& FunctionArgument(const JsonTree& call) { return call.members.front().value; }

std::string_view AwsPartition(std::string_view region) {
  if (region.starts_with("cn-")) return "aws-cn";
  if (region.starts_with("us-gov-")) return "aws-us-gov";
  return "aws";
}

}  // namespace

bool IsNoValue(const JsonTree& tree) { return tree.kind == Kind::kOther && tree.text == kNoValue; }

std::nullopt_t Lacks(const JsonTree& at, std::string name, TemplateValues::UnknownValues* unknown) {
  unknown->push_back({PlaceIn(at), std::move(name), ""});
  return std::nullopt;
}
std::nullopt_t Wrong(const JsonTree& at, std::string error,
                     TemplateValues::UnknownValues* unknown) {
  unknown->push_back({PlaceIn(at), "", std::move(error)});
  return std::nullopt;
}

std::string_view TransformName(const JsonTree& transform) {
  const JsonTree* const name = transform.Find("Name");
  return MemberText(name == nullptr ? &transform : name);
}

bool HasTransform(const JsonTree& document, std::string_view name) {
  const JsonTree* const transform = document.Find("Transform");
  if (transform == nullptr) return false;
  if (transform->kind != Kind::kList) return TransformName(*transform) == name;
  return std::any_of(transform->elements.begin(), transform->elements.end(),
                     [&](const JsonTree& element) { return TransformName(element) == name; });
}

TemplateValues::TemplateValues(const JsonTree& document, const ReadOptions& options)
    : document_(document),
      options_(options),
      has_extensions_(HasTransform(document, kLanguageExtensions)) {}

void TemplateValues::SetResource(const std::string& id, std::string name, std::string arn) {
  resources_[id] = {std::move(name), std::move(arn)};
}

std::string TemplateValues::MakeArn(std::string_view service, std::string_view resource) const {
  return Concat("arn:", AwsPartition(options_.region), ":", service, ":", options_.region, ":",
                kTemplateAccount, ":", resource);
}

void TemplateValues::Report(const std::string& file, const UnknownValues& unknown,
                            Findings* findings) {
  for (const UnknownValue& lacks : unknown) {
    if (lacks.is_too_much && std::exchange(has_said_too_much_, true)) continue;
    findings->Fail({file, lacks.at.line, lacks.at.column},
                   lacks.error.empty() ? messages::DesignValueUnknown(lacks.name) : lacks.error);
  }
}

// Every use gets this error, since it cannot know whether another use was reported.
void TemplateValues::TooMuch(const JsonTree& at, std::string_view function,
                             UnknownValues* unknown) const {
  Wrong(at, messages::TemplateTooLarge(function), unknown);
  unknown->back().is_too_much = true;
}

JsonTree TemplateValues::Resolve(const JsonTree& value, UnknownValues* unknown) {
  if (const std::string_view function = FunctionName(value); !function.empty()) {
    const size_t before = unknown->size();
    Result result = Call(function, value, unknown);
    if (!result || unknown->size() > before) return value;
    given_bytes_ += TreeBytes(*result);
    if (given_bytes_ > kGivenBytesMax) {
      TooMuch(value, function, unknown);
      return value;
    }
    CopyPlace(value, &*result);
    return result->kind == Kind::kString ? Text(*std::move(result), unknown) : *std::move(result);
  }
  if (value.kind == Kind::kString) return Text(value, unknown);
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

JsonTree TemplateValues::Text(JsonTree text, UnknownValues* unknown) const {
  size_t from = text.text.find(kDynamicBegin);
  while (from != std::string::npos) {
    const size_t end = text.text.find(kDynamicEnd, from);
    if (end == std::string::npos) break;
    const size_t length = end + kDynamicEnd.size() - from;
    const std::string reference = text.text.substr(from, length);
    const std::string* const given = GivenValue(options_, reference);
    if (given == nullptr) {
      Lacks(text, reference, unknown);
      return text;
    }
    text.text.replace(from, length, *given);
    from = text.text.find(kDynamicBegin, from + given->size());
  }
  if (IsNestedTooDeep(text.text)) {
    Wrong(text, messages::TemplateVariablesTooDeep(), unknown);
  } else if (const std::optional<std::string> variable = VariableIn(text.text)) {
    Lacks(text, *variable, unknown);
  }
  return text;
}

TemplateValues::Result TemplateValues::Call(std::string_view function, const JsonTree& call,
                                            UnknownValues* unknown) {
  if (given_bytes_ > kGivenBytesMax) {
    TooMuch(call, function, unknown);
    return std::nullopt;
  }
  const std::string_view name = function.substr(function.starts_with(kFunction) ? 4 : 0);
  if (IsExtension(name) && !has_extensions_) {
    Wrong(call, messages::TemplateNeedsTransform(function, kLanguageExtensions), unknown);
    return std::nullopt;
  }
  if (name == "Ref") return Referred(call, unknown);
  if (name == "GetAtt") return ResolveAttribute(call, unknown);
  if (name == "GetAZs") return Zones(call, unknown);
  if (name == "ImportValue") return Imported(call, unknown);
  if (name == "Sub") return Substituted(call, unknown);
  if (name == "If") return Chosen(call, unknown);
  if (name == "FindInMap") return Mapped(call, unknown);
  if (FindTemplateFunction(name) != nullptr) return Computed(name, call, unknown);
  if (name == "Transform") {
    const std::string_view macro = MemberText(FunctionArgument(call).Find("Name"));
    Wrong(call, messages::TemplateUnknownTransform(macro), unknown);
  } else if (IsRuleFunction(name)) {
    Wrong(call, messages::TemplateOnlyInRules(function), unknown);
  } else if (IsFunctionName(name)) {
    // A function for conditions, or a loop, instead of a value.
    Wrong(call, messages::TemplateMalformed(function), unknown);
  } else {
    const std::string nearest = NearestFunction(name);
    Wrong(call,
          messages::TemplateUnknownFunction(function,
                                            nearest.empty() ? "" : Concat(kFunction, nearest)),
          unknown);
  }
  return std::nullopt;
}

TemplateValues::Result TemplateValues::Referred(const JsonTree& call, UnknownValues* unknown) {
  const std::string& name = FunctionArgument(call).text;
  Result value = Named(name);
  if (name.empty()) {
    Wrong(call, messages::TemplateMalformed("Ref"), unknown);
  } else if (!value) {
    Lacks(call, name, unknown);
  }
  return value;
}

TemplateValues::Result TemplateValues::ResolveAttribute(const JsonTree& call,
                                                        UnknownValues* unknown) {
  const JsonTree& argument = FunctionArgument(call);
  const size_t before = unknown->size();
  std::string name = argument.text;
  for (const JsonTree& part : argument.elements) {
    name += (name.empty() ? "" : ".") + Resolve(part, unknown).text;
  }
  if (unknown->size() > before) return std::nullopt;
  Result value = Attribute(name);
  if (name.find('.') == std::string::npos) {
    Wrong(call, messages::TemplateMalformed("Fn::GetAtt"), unknown);
  } else if (!value) {
    Lacks(call, name, unknown);
  }
  return value;
}

TemplateValues::Result TemplateValues::Zones(const JsonTree& call, UnknownValues* unknown) {
  // The zones that an account has are in no file.
  Result given = Given("Fn::GetAZs", /*is_list=*/true);
  if (!given) Lacks(call, "Fn::GetAZs", unknown);
  return given;
}

TemplateValues::Result TemplateValues::Imported(const JsonTree& call, UnknownValues* unknown) {
  const size_t before = unknown->size();
  const JsonTree name = Resolve(FunctionArgument(call), unknown);
  if (unknown->size() > before) return std::nullopt;
  Result value = Given(name.text);
  if (name.text.empty()) {
    Wrong(call, messages::TemplateMalformed("Fn::ImportValue"), unknown);
  } else if (!value) {
    Lacks(call, name.text, unknown);
  }
  return value;
}

TemplateValues::Result TemplateValues::Computed(std::string_view name, const JsonTree& call,
                                                UnknownValues* unknown) {
  const size_t before = unknown->size();
  const JsonTree argument = Resolve(FunctionArgument(call), unknown);
  if (unknown->size() > before) return std::nullopt;
  std::string error;
  Result result = FindTemplateFunction(name)(argument, &error);
  if (!result) Wrong(call, error, unknown);
  return result;
}

std::optional<JsonTree> TemplateValues::Given(const std::string& name, bool is_list) const {
  const std::string* const given = GivenValue(options_, name);
  if (given == nullptr) return std::nullopt;
  return is_list ? SplitAtCommas(*given) : TextTree(*given);
}

TemplateValues::Result TemplateValues::Given(const std::string& name) const {
  return Given(name, /*is_list=*/false);
}

TemplateValues::Result TemplateValues::Named(const std::string& name) const {
  const JsonTree* const parameter = FindParameter(document_, name);
  Result given = Given(name);
  if (parameter != nullptr) {
    return ParameterValue(*parameter, given ? std::optional(given->text) : std::nullopt);
  }
  if (given) return given;
  if (const auto known = resources_.find(name); known != resources_.end()) {
    return TextTree(known->second.name);
  }
  const std::string_view partition = AwsPartition(options_.region);
  if (name == kNoValue) return NoValue();
  if (name == "AWS::Region") return TextTree(options_.region);
  if (name == "AWS::AccountId") return TextTree(kTemplateAccount);
  if (name == "AWS::Partition") return TextTree(partition);
  if (name == "AWS::URLSuffix") {
    return TextTree(partition == "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com");
  }
  if (name == "AWS::NotificationARNs") return ListTree();
  if (name == "AWS::StackName") return TextTree(kStackName);
  if (name == "AWS::StackId") {
    const std::string stack = Named("AWS::StackName")->text;
    return TextTree(MakeArn("cloudformation", Concat("stack/", stack, "/", kStackUuid)));
  }
  return std::nullopt;
}

TemplateValues::Result TemplateValues::Attribute(const std::string& name) const {
  if (Result given = Given(name)) return given;
  const size_t dot = name.find('.');
  const auto known = resources_.find(name.substr(0, dot));
  const bool is_arn = dot != std::string::npos && name.substr(dot + 1) == "Arn";
  if (known == resources_.end() || !is_arn) return std::nullopt;
  return TextTree(known->second.arn);
}

TemplateValues::Result TemplateValues::Substituted(const JsonTree& call, UnknownValues* unknown) {
  const JsonTree& argument = FunctionArgument(call);
  const bool has_names = argument.kind == Kind::kList && argument.elements.size() == 2 &&
                         argument.elements[1].kind == Kind::kMap;
  const JsonTree& text = has_names ? argument.elements[0] : argument;
  if (!IsValue(text)) {
    Wrong(call, messages::TemplateMalformed("Fn::Sub"), unknown);
    return std::nullopt;
  }
  std::string made;
  std::string_view rest = text.text;
  for (size_t begin = rest.find("${"); begin != std::string_view::npos; begin = rest.find("${")) {
    const size_t end = rest.find('}', begin);
    if (end == std::string_view::npos) break;
    made += rest.substr(0, begin);
    const std::string name(rest.substr(begin + 2, end - begin - 2));
    rest.remove_prefix(end + 1);
    if (name.starts_with('!')) {
      made += "${" + name.substr(1) + "}";
      continue;
    }
    const JsonTree* const own = has_names ? argument.elements[1].Find(name) : nullptr;
    Result value;
    if (own != nullptr) {
      const size_t before = unknown->size();
      value = Resolve(*own, unknown);
      if (unknown->size() > before) continue;
    } else {
      value = name.find('.') == std::string::npos ? Named(name) : Attribute(name);
    }
    if (!value) {
      Lacks(text, name, unknown);
    } else if (!IsValue(*value)) {
      Wrong(text, messages::TemplateNoText("Fn::Sub", name), unknown);
    } else {
      made += value->text;
    }
    if (made.size() > kGivenBytesMax) {
      TooMuch(call, "Fn::Sub", unknown);
      return std::nullopt;
    }
  }
  return TextTree(made + std::string(rest));
}

TemplateValues::Result TemplateValues::Chosen(const JsonTree& call, UnknownValues* unknown) {
  const JsonTree& argument = FunctionArgument(call);
  if (argument.elements.size() != 3 || argument.elements[0].text.empty()) {
    Wrong(call, messages::TemplateMalformed("Fn::If"), unknown);
    return std::nullopt;
  }
  const std::optional<bool> is_true = Condition(argument.elements[0].text, call, unknown);
  if (!is_true) return std::nullopt;
  return Resolve(argument.elements[*is_true ? 1 : 2], unknown);
}

TemplateValues::Result TemplateValues::Mapped(const JsonTree& call, UnknownValues* unknown) {
  const JsonTree& argument = FunctionArgument(call);
  const bool has_default = argument.elements.size() == 4;
  if (!has_default && argument.elements.size() != 3) {
    Wrong(call, messages::TemplateMalformed("Fn::FindInMap"), unknown);
    return std::nullopt;
  }
  if (has_default && !has_extensions_) {
    Wrong(call, messages::TemplateNeedsTransform("DefaultValue", kLanguageExtensions), unknown);
    return std::nullopt;
  }
  const size_t before = unknown->size();
  const JsonTree* found = document_.Find("Mappings");
  std::string path;
  for (size_t i = 0; i < 3; ++i) {
    const std::string name = Resolve(argument.elements[i], unknown).text;
    path += (i == 0 ? "" : ".") + name;
    found = found == nullptr ? nullptr : found->Find(name);
  }
  if (unknown->size() > before) return std::nullopt;
  const JsonTree* const standard =
      has_default ? argument.elements[3].Find("DefaultValue") : nullptr;
  if (found != nullptr) return *found;
  if (standard != nullptr) return Resolve(*standard, unknown);
  Wrong(call, messages::TemplateNoMapping(path), unknown);
  return std::nullopt;
}

std::optional<bool> TemplateValues::Condition(const std::string& name, const JsonTree& at,
                                              UnknownValues* unknown) {
  const JsonTree* const conditions = document_.Find("Conditions");
  const JsonTree* const condition = conditions == nullptr ? nullptr : conditions->Find(name);
  if (condition == nullptr) {
    Wrong(at, messages::TemplateNoCondition(name), unknown);
    return std::nullopt;
  }
  auto known = truths_.find(name);
  if (known == truths_.end()) {
    if (asked_.size() >= kConditionDepthMax) {
      Wrong(*condition, messages::TemplateConditionsTooDeep(name), unknown);
      return std::nullopt;
    }
    if (!asked_.insert(name).second) {
      Wrong(*condition, messages::TemplateConditionCircle(name), unknown);
      return std::nullopt;
    }
    ConditionResult truth;
    truth.holds = Holds(*condition, name, &truth.unknown);
    asked_.erase(name);
    known = truths_.emplace(name, std::move(truth)).first;
  }
  const ConditionResult& truth = known->second;
  if (!truth.holds) AddNew(truth.unknown, unknown);
  return truth.holds;
}

std::optional<bool> TemplateValues::Holds(const JsonTree& condition, const std::string& name,
                                          UnknownValues* unknown) {
  const bool is_call = condition.kind == Kind::kMap && condition.members.size() == 1;
  const std::string_view function = is_call ? condition.members.front().name : std::string_view();
  if (function == "Condition")
    return Condition(FunctionArgument(condition).text, condition, unknown);
  if (is_call) {
    const JsonTree& argument = FunctionArgument(condition);
    if (function == "Fn::Equals" && argument.elements.size() == 2) {
      const size_t before = unknown->size();
      const JsonTree left = Resolve(argument.elements[0], unknown);
      const JsonTree right = Resolve(argument.elements[1], unknown);
      if (unknown->size() > before) return std::nullopt;
      const bool are_scalar = IsValue(left) && IsValue(right);
      return are_scalar ? left.text == right.text : PrintJson(left) == PrintJson(right);
    }
    if (function == "Fn::Not" && argument.elements.size() == 1) {
      const std::optional<bool> truth = Holds(argument.elements[0], name, unknown);
      if (!truth) return std::nullopt;
      return !*truth;
    }
    const bool is_any = function == "Fn::Or";
    if ((is_any || function == "Fn::And") && argument.elements.size() >= 2) {
      return AllOrAny(is_any, argument, name, unknown);
    }
  }
  const bool is_of_rules =
      function.starts_with(kFunction) && IsRuleFunction(function.substr(kFunction.size()));
  return Wrong(condition,
               is_of_rules ? messages::TemplateOnlyInRules(function)
                           : messages::TemplateConditionMalformed(name),
               unknown);
}

std::optional<bool> TemplateValues::AllOrAny(bool is_any, const JsonTree& list,
                                             const std::string& name, UnknownValues* unknown) {
  UnknownValues lacking;
  for (const JsonTree& element : list.elements) {
    if (Holds(element, name, &lacking) == is_any) return is_any;
  }
  AddNew(lacking, unknown);
  if (!lacking.empty()) return std::nullopt;
  return !is_any;
}

}  // namespace dynolith::designs
