#include "tools/server/iam/policy/condition.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "engine/base/strings.h"
#include "engine/text/nearest_word.h"
#include "tools/server/iam/policy/messages.h"

namespace dynolith::iam {
namespace {

struct KnownOperator {
  std::string_view name;
  ConditionTest test;
  bool is_negated = false;
  // Which of the pattern's rules it has (api/facts/iam.md §3).
  bool wildcards = false;
  bool variables = false;
  bool ignores_case = false;
};

using Test = ConditionTest;

constexpr KnownOperator kOperators[] = {
    {"StringEquals", Test::kString, false, false, true},
    {"StringNotEquals", Test::kString, true, false, true},
    {"StringEqualsIgnoreCase", Test::kString, false, false, true, true},
    {"StringNotEqualsIgnoreCase", Test::kString, true, false, true, true},
    {"StringLike", Test::kString, false, true, true},
    {"StringNotLike", Test::kString, true, true, true},
    {"NumericEquals", Test::kNumberEquals},
    {"NumericNotEquals", Test::kNumberEquals, true},
    {"NumericLessThan", Test::kNumberLess},
    {"NumericLessThanEquals", Test::kNumberLessEquals},
    {"NumericGreaterThan", Test::kNumberGreater},
    {"NumericGreaterThanEquals", Test::kNumberGreaterEquals},
    {"DateEquals", Test::kDateEquals},
    {"DateNotEquals", Test::kDateEquals, true},
    {"DateLessThan", Test::kDateLess},
    {"DateLessThanEquals", Test::kDateLessEquals},
    {"DateGreaterThan", Test::kDateGreater},
    {"DateGreaterThanEquals", Test::kDateGreaterEquals},
    {"Bool", Test::kBool, false, false, true, true},
    {"BinaryEquals", Test::kBinary},
    {"IpAddress", Test::kNetwork},
    {"NotIpAddress", Test::kNetwork, true},
    {"ArnEquals", Test::kArn, false, true, true},
    {"ArnLike", Test::kArn, false, true, true},
    {"ArnNotEquals", Test::kArn, true, true, true},
    {"ArnNotLike", Test::kArn, true, true, true},
    {"Null", Test::kNull},
};

constexpr std::string_view kForAllValues = "ForAllValues:";
constexpr std::string_view kForAnyValue = "ForAnyValue:";
constexpr std::string_view kIfExists = "IfExists";

std::optional<double> ParseNumber(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) {
    return std::nullopt;
  }
  return number;
}

// A date of ISO 8601 in one of W3C's forms, or seconds since 1970.
std::optional<absl::Time> ParseDate(std::string_view text) {
  if (!text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos) {
    const std::optional<double> seconds = ParseNumber(text);
    if (!seconds) return std::nullopt;
    return absl::UnixEpoch() + absl::Seconds(*seconds);
  }
  for (const char* const form :
       {"%Y-%m-%d%ET%H:%M:%E*S%Ez", "%Y-%m-%d%ET%H:%M%Ez", "%Y-%m-%d", "%Y-%m", "%Y"}) {
    absl::Time time;
    if (absl::ParseTime(form, ToAbsl(text), &time, nullptr)) return time;
  }
  return std::nullopt;
}

std::optional<AddressRange> ParseRange(std::string_view text) {
  AddressRange range;
  const size_t slash = text.find('/');
  const std::string address(text.substr(0, slash));
  int bits_max = 128;
  if (inet_pton(AF_INET, address.c_str(), range.address.data() + 12) == 1) {
    range.address[10] = range.address[11] = 0xFF;
    bits_max = 32;
  } else if (inet_pton(AF_INET6, address.c_str(), range.address.data()) != 1) {
    return std::nullopt;
  }
  if (slash == std::string_view::npos) return range;
  const std::string_view digits = text.substr(slash + 1);
  int bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (bits < 0 || bits > bits_max) return std::nullopt;
  range.bits = bits + 128 - bits_max;
  return range;
}

bool Holds(const AddressRange& range, const AddressRange& address) {
  for (int bit = 0; bit < range.bits; ++bit) {
    const size_t byte = static_cast<size_t>(bit / 8);
    const int mask = 0x80 >> (bit % 8);
    if (((range.address[byte] ^ address.address[byte]) & mask) != 0) return false;
  }
  return true;
}

bool ComparesNumbers(Test test, double left, double right) {
  switch (test) {
    case Test::kNumberEquals:
      return left == right;
    case Test::kNumberLess:
      return left < right;
    case Test::kNumberLessEquals:
      return left <= right;
    case Test::kNumberGreater:
      return left > right;
    default:
      return left >= right;
  }
}

bool ComparesTimes(Test test, absl::Time left, absl::Time right) {
  switch (test) {
    case Test::kDateEquals:
      return left == right;
    case Test::kDateLess:
      return left < right;
    case Test::kDateLessEquals:
      return left <= right;
    case Test::kDateGreater:
      return left > right;
    default:
      return left >= right;
  }
}

bool IsNumeric(Test test) {
  return test >= Test::kNumberEquals && test <= Test::kNumberGreaterEquals;
}
bool IsDate(Test test) { return test >= Test::kDateEquals && test <= Test::kDateGreaterEquals; }

bool IsSame(Test test, const std::string& value, const ConditionValue& wanted,
            const RequestContext& context) {
  if (IsNumeric(test)) {
    const std::optional<double> number = ParseNumber(value);
    return number && ComparesNumbers(test, *number, wanted.number);
  }
  if (IsDate(test)) {
    const std::optional<absl::Time> time = ParseDate(value);
    return time && ComparesTimes(test, *time, wanted.time);
  }
  if (test == Test::kNetwork) {
    const std::optional<AddressRange> address = ParseRange(value);
    return address && address->bits == 128 && Holds(wanted.range, *address);
  }
  if (test == Test::kBinary) {
    std::string bytes;
    return absl::Base64Unescape(value, &bytes) && bytes == wanted.bytes;
  }
  if (test == Test::kArn) return wanted.pattern->MatchesArn(value, context);
  return wanted.pattern->Matches(value, context);
}

absl::Status BadValue(const ConditionOperator& of, std::string_view wanted, std::string_view text) {
  return absl::InvalidArgumentError(messages::PolicyValueInvalid(of.name, wanted, text));
}

std::vector<std::string> OperatorNames() {
  std::vector<std::string> names;
  for (const KnownOperator& known : kOperators) names.emplace_back(known.name);
  return names;
}

}  // namespace

absl::StatusOr<ConditionOperator> ParseOperator(std::string_view name, bool variables) {
  ConditionOperator parsed{.name = std::string(name)};
  std::string_view rest = name;
  if (rest.starts_with(kForAllValues)) {
    parsed.quantifier = Quantifier::kForAllValues;
    rest.remove_prefix(kForAllValues.size());
  } else if (rest.starts_with(kForAnyValue)) {
    parsed.quantifier = Quantifier::kForAnyValue;
    rest.remove_prefix(kForAnyValue.size());
  }
  if (rest.ends_with(kIfExists)) {
    parsed.if_exists = true;
    rest.remove_suffix(kIfExists.size());
  }
  const auto known = std::find_if(std::begin(kOperators), std::end(kOperators),
                                  [&](const KnownOperator& each) { return each.name == rest; });
  if (known == std::end(kOperators)) {
    return absl::InvalidArgumentError(
        messages::PolicyOperatorUnknown(name, NearestWord(rest, OperatorNames())));
  }
  if (known->test == Test::kNull && parsed.if_exists) {
    return absl::InvalidArgumentError(messages::PolicyOperatorPart("Null", kIfExists));
  }
  if (known->test == Test::kNull && parsed.quantifier != Quantifier::kNone) {
    return absl::InvalidArgumentError(
        messages::PolicyOperatorPart("Null", "ForAllValues: or ForAnyValue:"));
  }
  parsed.test = known->test;
  parsed.is_negated = known->is_negated;
  parsed.rules = {.wildcards = known->wildcards,
                  .variables = known->variables && variables,
                  .ignores_case = known->ignores_case};
  return parsed;
}

absl::StatusOr<ConditionValue> ParseConditionValue(const ConditionOperator& of,
                                                   std::string_view text) {
  ConditionValue value{.text = std::string(text)};
  if (IsNumeric(of.test)) {
    const std::optional<double> number = ParseNumber(text);
    if (!number) return BadValue(of, "a number", text);
    value.number = *number;
  } else if (IsDate(of.test)) {
    const std::optional<absl::Time> time = ParseDate(text);
    if (!time) return BadValue(of, "a date such as 2026-11-28T09:30:00Z", text);
    value.time = *time;
  } else if (of.test == Test::kNetwork) {
    const std::optional<AddressRange> range = ParseRange(text);
    if (!range) return BadValue(of, "a network such as 10.0.0.0/8", text);
    value.range = *range;
  } else if (of.test == Test::kBinary) {
    if (!absl::Base64Unescape(ToAbsl(text), &value.bytes)) return BadValue(of, "base64", text);
  } else {
    const bool is_word = absl::EqualsIgnoreCase(ToAbsl(text), "true") ||
                         absl::EqualsIgnoreCase(ToAbsl(text), "false");
    const bool is_variable = of.rules.variables && text.starts_with("${");
    if (of.test == Test::kNull && !is_word) return BadValue(of, "true or false", text);
    if (of.test == Test::kBool && !is_word && !is_variable) {
      return BadValue(of, "true or false", text);
    }
    value.pattern = Pattern::Parse(text, of.rules);
    if (!value.pattern) return absl::InvalidArgumentError(messages::PolicyVariableOpen(text));
  }
  return value;
}

bool Condition::Fits(const std::string& value, const RequestContext& context) const {
  const bool is_one = std::any_of(values.begin(), values.end(), [&](const ConditionValue& wanted) {
    return IsSame(compare.test, value, wanted, context);
  });
  return is_one != compare.is_negated;
}

bool Condition::Holds(const RequestContext& context) const {
  const RequestContext::Values* const found = context.Find(key);
  if (compare.test == Test::kNull) {
    return std::any_of(values.begin(), values.end(), [&](const ConditionValue& wanted) {
      return absl::EqualsIgnoreCase(wanted.text, "true") == (found == nullptr);
    });
  }
  const auto fits = [&](const std::string& value) { return Fits(value, context); };
  const bool is_absent = found == nullptr || found->empty();
  if (compare.quantifier == Quantifier::kForAllValues) {
    return is_absent || std::all_of(found->begin(), found->end(), fits);
  }
  if (is_absent && compare.if_exists) return true;
  if (compare.quantifier == Quantifier::kForAnyValue) {
    return !is_absent && std::any_of(found->begin(), found->end(), fits);
  }
  if (is_absent) return compare.is_negated;
  // Of a key with several values, which wants a quantifier: none of them may be a negated one's.
  return compare.is_negated ? std::all_of(found->begin(), found->end(), fits)
                            : std::any_of(found->begin(), found->end(), fits);
}

}  // namespace dynolith::iam
