#include "tools/server/targets/filter_pattern.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/files/table/json_parts.h"
#include "tools/server/targets/messages.h"

namespace dynolith::targets {
namespace {

using Kind = JsonTree::Kind;

constexpr std::string_view kAlternatives = "$or";
constexpr std::string_view kIgnoreCase = "equals-ignore-case";
constexpr std::string_view kComparisons[] = {"=", "<", "<=", ">", ">="};

bool IsNumber(const JsonTree& tree) {
  return tree.kind == Kind::kOther && tree.text != "true" && tree.text != "false" &&
         tree.text != "null";
}

std::optional<double> NumberOf(const JsonTree& tree) {
  double number = 0;
  if (!IsNumber(tree) || !absl::SimpleAtod(ToAbsl(tree.text), &number)) return std::nullopt;
  return number;
}

// --- what a pattern may be

absl::Status Refuse(std::string_view rule, std::string_view wants) {
  return absl::InvalidArgumentError(messages::FilterRuleWants(rule, wants));
}

bool IsText(const JsonTree& tree) { return tree.kind == Kind::kString; }

bool IsTextOrTexts(const JsonTree& tree) {
  if (tree.kind != Kind::kList) return IsText(tree);
  return !tree.elements.empty() && std::all_of(tree.elements.begin(), tree.elements.end(), IsText);
}

// The one member of a rule that is an object; nullptr if it has none or several.
const JsonTree::Member* OnlyMember(const JsonTree& tree) {
  return tree.kind == Kind::kMap && tree.members.size() == 1 ? &tree.members.front() : nullptr;
}

absl::Status CheckNumeric(const JsonTree& operand) {
  const std::string_view wants = R"([">", 0, "<=", 5]: one or two comparisons)";
  const size_t size = operand.elements.size();
  if (operand.kind != Kind::kList || (size != 2 && size != 4)) return Refuse("numeric", wants);
  for (size_t i = 0; i < size; i += 2) {
    const JsonTree& sign = operand.elements[i];
    const bool is_known =
        IsText(sign) && std::find(std::begin(kComparisons), std::end(kComparisons), sign.text) !=
                            std::end(kComparisons);
    if (!is_known || !NumberOf(operand.elements[i + 1])) return Refuse("numeric", wants);
  }
  return absl::OkStatus();
}

absl::Status CheckAffix(std::string_view name, const JsonTree& operand) {
  const JsonTree::Member* const inner = OnlyMember(operand);
  const bool ignores_case = inner != nullptr && inner->name == kIgnoreCase && IsText(inner->value);
  if (IsText(operand) || ignores_case) return absl::OkStatus();
  return Refuse(name, R"(a text, or {"equals-ignore-case": text})");
}

absl::Status CheckAnythingBut(const JsonTree& operand) {
  const std::string_view wants =
      "a text, a number, a list of them, or an object with prefix, suffix or equals-ignore-case";
  if (const JsonTree::Member* const inner = OnlyMember(operand)) {
    const bool is_known =
        inner->name == "prefix" || inner->name == "suffix" || inner->name == kIgnoreCase;
    if (is_known && IsTextOrTexts(inner->value)) return absl::OkStatus();
    return Refuse("anything-but", wants);
  }
  const auto is_plain = [](const JsonTree& tree) { return IsText(tree) || NumberOf(tree); };
  if (is_plain(operand)) return absl::OkStatus();
  const bool is_list = operand.kind == Kind::kList && !operand.elements.empty() &&
                       std::all_of(operand.elements.begin(), operand.elements.end(), is_plain);
  return is_list ? absl::OkStatus() : Refuse("anything-but", wants);
}

absl::Status CheckRule(const JsonTree& rule) {
  if (rule.kind == Kind::kString || rule.kind == Kind::kOther) return absl::OkStatus();
  const JsonTree::Member* const only = OnlyMember(rule);
  if (only == nullptr) return absl::InvalidArgumentError(messages::FilterRuleUnknown());
  const auto& [name, operand] = *only;
  if (name == "exists") {
    const bool is_bool = operand.text == "true" || operand.text == "false";
    if (operand.kind == Kind::kOther && is_bool) return absl::OkStatus();
    return Refuse(name, "true or false");
  }
  if (name == "prefix" || name == "suffix") return CheckAffix(name, operand);
  if (name == kIgnoreCase) return IsText(operand) ? absl::OkStatus() : Refuse(name, "a text");
  if (name == "numeric") return CheckNumeric(operand);
  if (name == "anything-but") return CheckAnythingBut(operand);
  return absl::InvalidArgumentError(messages::FilterOperatorUnknown(name));
}

absl::Status CheckPattern(const JsonTree& pattern) {
  if (pattern.kind != Kind::kMap) return absl::InvalidArgumentError(messages::FilterNoObject());
  if (pattern.members.empty()) return absl::InvalidArgumentError(messages::FilterEmpty());
  for (const auto& [name, value] : pattern.members) {
    if (name == kAlternatives) {
      if (value.kind != Kind::kList || value.elements.empty())
        return Refuse(name, "a list of patterns");
      for (const JsonTree& each : value.elements) DYNOLITH_RETURN_IF_ERROR(CheckPattern(each));
    } else if (value.kind == Kind::kMap) {
      DYNOLITH_RETURN_IF_ERROR(CheckPattern(value));
    } else if (value.kind == Kind::kList && !value.elements.empty()) {
      for (const JsonTree& rule : value.elements) DYNOLITH_RETURN_IF_ERROR(CheckRule(rule));
    } else {
      return absl::InvalidArgumentError(messages::FilterFieldNoList(name));
    }
  }
  return absl::OkStatus();
}

// --- what matches

bool IsEqual(const JsonTree& rule, const JsonTree& value) {
  if (rule.kind != value.kind) return false;
  const std::optional<double> number = NumberOf(rule);
  if (!number) return rule.text == value.text;
  return number == NumberOf(value);
}

bool EqualsIgnoringCase(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase(ToAbsl(a), ToAbsl(b));
}

// `wanted`: a text, or {"equals-ignore-case": text}.
bool HasAffix(const JsonTree& wanted, const JsonTree& value, bool at_end) {
  if (!IsText(value)) return false;
  const bool exact = IsText(wanted);
  const std::string_view affix = exact ? wanted.text : wanted.members.front().value.text;
  if (value.text.size() < affix.size()) return false;
  const std::string_view text = value.text;
  const std::string_view part =
      at_end ? text.substr(text.size() - affix.size()) : text.substr(0, affix.size());
  return exact ? part == affix : EqualsIgnoringCase(part, affix);
}

bool Compares(std::string_view sign, double left, double right) {
  if (sign == "=") return left == right;
  if (sign == "<") return left < right;
  if (sign == "<=") return left <= right;
  if (sign == ">") return left > right;
  return left >= right;
}

bool IsInRange(const JsonTree& comparisons, const JsonTree& value) {
  const std::optional<double> number = NumberOf(value);
  if (!number) return false;
  for (size_t i = 0; i < comparisons.elements.size(); i += 2) {
    const double bound = *NumberOf(comparisons.elements[i + 1]);
    if (!Compares(comparisons.elements[i].text, *number, bound)) return false;
  }
  return true;
}

// Whether the value is one that anything-but leaves out.
bool IsLeftOut(const JsonTree& operand, const JsonTree& value) {
  if (operand.kind == Kind::kList) {
    return std::any_of(operand.elements.begin(), operand.elements.end(),
                       [&](const JsonTree& each) { return IsEqual(each, value); });
  }
  const JsonTree::Member* const inner = OnlyMember(operand);
  if (inner == nullptr) return IsEqual(operand, value);
  const auto fits = [&](const JsonTree& text) {
    if (inner->name == kIgnoreCase)
      return IsText(value) && EqualsIgnoringCase(text.text, value.text);
    return HasAffix(text, value, inner->name == "suffix");
  };
  if (IsText(inner->value)) return fits(inner->value);
  return std::any_of(inner->value.elements.begin(), inner->value.elements.end(), fits);
}

// A rule other than exists, for a value that is neither a list nor an object.
bool LeafMatches(const JsonTree& rule, const JsonTree& value) {
  const JsonTree::Member* const only = OnlyMember(rule);
  if (only == nullptr) return IsEqual(rule, value);
  const auto& [name, operand] = *only;
  if (name == "prefix" || name == "suffix") return HasAffix(operand, value, name == "suffix");
  if (name == kIgnoreCase) return IsText(value) && EqualsIgnoringCase(operand.text, value.text);
  if (name == "numeric") return IsInRange(operand, value);
  return !IsLeftOut(operand, value);
}

bool HasLeaf(const JsonTree& value) {
  if (value.kind != Kind::kList) return value.kind != Kind::kMap;
  return std::any_of(value.elements.begin(), value.elements.end(), HasLeaf);
}

// `value`: nullptr if the field is absent.
bool RuleMatches(const JsonTree& rule, const JsonTree* value) {
  const JsonTree::Member* const only = OnlyMember(rule);
  if (only != nullptr && only->name == "exists") {
    return (value != nullptr && HasLeaf(*value)) == (only->value.text == "true");
  }
  if (value == nullptr || value->kind == Kind::kMap) return false;
  if (value->kind != Kind::kList) return LeafMatches(rule, *value);
  return std::any_of(value->elements.begin(), value->elements.end(),
                     [&](const JsonTree& element) { return RuleMatches(rule, &element); });
}

bool PatternMatches(const JsonTree& pattern, const JsonTree* value) {
  if (value != nullptr && value->kind == Kind::kList) {
    return std::any_of(value->elements.begin(), value->elements.end(),
                       [&](const JsonTree& element) { return PatternMatches(pattern, &element); });
  }
  const bool has_members = value != nullptr && value->kind == Kind::kMap;
  const auto member_matches = [&](const JsonTree::Member& member) {
    const auto& [name, wanted] = member;
    if (name == kAlternatives) {
      return std::any_of(wanted.elements.begin(), wanted.elements.end(),
                         [&](const JsonTree& each) { return PatternMatches(each, value); });
    }
    const JsonTree* const field = has_members ? value->Find(name) : nullptr;
    if (wanted.kind == Kind::kMap) return PatternMatches(wanted, field);
    return std::any_of(wanted.elements.begin(), wanted.elements.end(),
                       [&](const JsonTree& rule) { return RuleMatches(rule, field); });
  };
  return std::all_of(pattern.members.begin(), pattern.members.end(), member_matches);
}

}  // namespace

absl::Status FilterSet::Add(std::string_view pattern) {
  std::optional<JsonTree> tree = ParseJson(pattern, designs::kJsonDepthMax);
  if (!tree) return absl::InvalidArgumentError(messages::FilterNoJson());
  DYNOLITH_RETURN_IF_ERROR(CheckPattern(*tree));
  patterns_.push_back(*std::move(tree));
  return absl::OkStatus();
}

bool FilterSet::Matches(const JsonTree& event) const {
  return patterns_.empty() ||
         std::any_of(patterns_.begin(), patterns_.end(),
                     [&](const JsonTree& pattern) { return PatternMatches(pattern, &event); });
}

}  // namespace dynolith::targets
