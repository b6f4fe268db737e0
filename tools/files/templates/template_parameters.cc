#include "tools/files/templates/template_parameters.h"

#include <algorithm>
#include <boost/regex.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "engine/base/strings.h"
#include "engine/text/nearest_word.h"
#include "tools/files/table/json_parts.h"
#include "tools/files/templates/messages.h"

namespace dynolith::designs {
namespace {

constexpr size_t kValueBytesMax = 4096;
constexpr std::string_view kStored = "AWS::SSM::Parameter::Value<";
constexpr std::string_view kList = "List<";

const std::vector<std::string>& ParameterProperties() {
  static const std::vector<std::string> names = {"Type",
                                                 "Default",
                                                 "AllowedValues",
                                                 "AllowedPattern",
                                                 "MinLength",
                                                 "MaxLength",
                                                 "MinValue",
                                                 "MaxValue",
                                                 "NoEcho",
                                                 "Description",
                                                 "ConstraintDescription"};
  return names;
}

// "List<String>" for "AWS::SSM::Parameter::Value<List<String>>"; other types are returned
// unchanged.
std::string_view ValueType(std::string_view type) {
  if (!type.starts_with(kStored) || !type.ends_with('>')) return type;
  type.remove_prefix(kStored.size());
  type.remove_suffix(1);
  return type;
}

bool IsList(std::string_view type) {
  return type == "CommaDelimitedList" || (type.starts_with(kList) && type.ends_with('>'));
}

bool IsType(std::string_view type) {
  type = ValueType(type);
  if (type == "CommaDelimitedList") return true;
  if (IsList(type)) type = type.substr(kList.size(), type.size() - kList.size() - 1);
  return type == "String" || type == "Number" || type.starts_with("AWS::");
}

// Whether all of `text` matches. nullopt: `pattern` is invalid, or matching takes too long.
std::optional<bool> Matches(const std::string& text, const std::string& pattern) {
  try {
    return boost::regex_match(text, boost::regex(pattern, boost::regex::perl));
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

class ParameterCheck {
 public:
  ParameterCheck(const std::string& file, const JsonTree::Member& parameter, Findings* findings)
      : place_(LocationInFile(file, parameter.value)),
        file_(file),
        name_(parameter.name),
        parameter_(parameter.value),
        findings_(findings) {}

  // Checks the definition of the parameter, without a value.
  bool IsSound() {
    const size_t errors = findings_->errors();
    for (const auto& [name, value] : parameter_.members) {
      const auto& known = ParameterProperties();
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      findings_->Fail(LocationInFile(file_, value),
                      messages::TemplateParameterProperty(name, NearestWord(name, known)));
    }
    const std::string_view type = MemberText(parameter_.Find("Type"));
    const JsonTree* const standard = parameter_.Find("Default");
    if (standard != nullptr && !IsScalar(*standard)) Fail("type", "Default is a text or a number");
    if (!IsType(type)) findings_->Fail(place_, messages::TemplateParameterType(name_, type));
    return findings_->errors() == errors;
  }

  void Value(const std::string& text) {
    const std::string_view type = MemberText(parameter_.Find("Type"));
    if (type.starts_with(kStored)) return;
    if (text.size() > kValueBytesMax) return Fail("type", "at most 4096 bytes");
    if (!IsList(type)) return One(text, type);
    const std::string_view element =
        type == "CommaDelimitedList" ? "String" : type.substr(kList.size(), type.size() - 6);
    for (const JsonTree& part : SplitAtCommas(text).elements) One(part.text, element);
  }

 private:
  void Fail(std::string_view rule, std::string_view limit) {
    findings_->Fail(place_,
                    messages::TemplateParameterValue(
                        name_, rule, limit, MemberText(parameter_.Find("ConstraintDescription"))));
  }

  void One(const std::string& text, std::string_view type) {
    double number = 0;
    if (type == "Number") {
      if (!absl::SimpleAtod(text, &number)) return Fail("type", "Number");
      Bound("MinValue", number, /*is_least=*/true);
      Bound("MaxValue", number, /*is_least=*/false);
    } else {
      const auto length = static_cast<double>(CodePoints(text));
      Bound("MinLength", length, /*is_least=*/true);
      Bound("MaxLength", length, /*is_least=*/false);
    }
    if (const JsonTree* const allowed = parameter_.Find("AllowedValues")) {
      std::string all;
      bool is_allowed = false;
      for (const JsonTree& value : allowed->elements) {
        is_allowed = is_allowed || value.text == text;
        all += (all.empty() ? "" : ", ") + value.text;
      }
      if (!is_allowed) Fail("AllowedValues", all);
    }
    if (const JsonTree* const pattern = parameter_.Find("AllowedPattern")) {
      const std::optional<bool> matches = Matches(text, pattern->text);
      if (!matches) return findings_->Fail(place_, messages::TemplatePatternUnreadable(name_));
      if (!*matches) Fail("AllowedPattern", pattern->text);
    }
  }
  void Bound(std::string_view rule, double value, bool is_least) {
    double bound = 0;
    const std::string_view text = MemberText(parameter_.Find(rule));
    if (text.empty() || !absl::SimpleAtod(ToAbsl(text), &bound)) return;
    if (is_least ? value < bound : value > bound) Fail(rule, text);
  }
  static size_t CodePoints(std::string_view text) {
    return static_cast<size_t>(
        std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
  }

  const FileLocation place_;
  const std::string& file_;
  const std::string& name_;
  const JsonTree& parameter_;
  Findings* const findings_;
};

}  // namespace

JsonTree SplitAtCommas(std::string_view text) {
  JsonTree list = ListTree();
  for (size_t comma = text.find(','); comma != std::string_view::npos; comma = text.find(',')) {
    list.elements.push_back(TextTree(WithoutSpaces(text.substr(0, comma))));
    text.remove_prefix(comma + 1);
  }
  list.elements.push_back(TextTree(WithoutSpaces(text)));
  return list;
}

const JsonTree* FindParameter(const JsonTree& document, const std::string& name) {
  const JsonTree* const parameters = document.Find("Parameters");
  return parameters == nullptr ? nullptr : parameters->Find(name);
}

bool IsListParameter(const JsonTree& parameter) {
  return IsList(ValueType(MemberText(parameter.Find("Type"))));
}

bool IsStoredParameter(const JsonTree& parameter) {
  return MemberText(parameter.Find("Type")).starts_with(kStored);
}

std::optional<JsonTree> ParameterValue(const JsonTree& parameter,
                                       const std::optional<std::string>& given) {
  const std::string_view type = MemberText(parameter.Find("Type"));
  std::optional<std::string> text = given;
  if (!text) {
    const JsonTree* const value = parameter.Find("Default");
    if (value == nullptr || type.starts_with(kStored)) return std::nullopt;
    text = value->text;
  }
  return IsListParameter(parameter) ? SplitAtCommas(*text) : TextTree(*text);
}

void CheckParameters(const std::string& file, const JsonTree& document, const ReadOptions& options,
                     Findings* findings) {
  const JsonTree* const parameters = document.Find("Parameters");
  if (parameters == nullptr) return;
  for (const JsonTree::Member& parameter : parameters->members) {
    // This counts as a use, so a parameter that no table needs gets no warning.
    const std::string* const given = GivenValue(options, parameter.name);
    ParameterCheck check(file, parameter, findings);
    if (!check.IsSound()) continue;
    const JsonTree* const standard = parameter.value.Find("Default");
    if (given != nullptr) {
      check.Value(*given);
    } else if (standard != nullptr) {
      check.Value(standard->text);
    }
  }
}

}  // namespace dynolith::designs
