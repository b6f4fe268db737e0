// One condition of a statement: an operator, a key and the values that it may have
// (api/facts/iam.md §3).
#ifndef DYNOLITH_TOOLS_SERVER_IAM_POLICY_CONDITION_H_
#define DYNOLITH_TOOLS_SERVER_IAM_POLICY_CONDITION_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "tools/server/iam/policy/pattern.h"
#include "tools/server/iam/policy/request_context.h"

namespace dynolith::iam {

// How a value of the request is compared with one of the policy.
enum class ConditionTest : uint8_t {
  kString,  // Equals, EqualsIgnoreCase and Like: the pattern knows
  kNumberEquals,
  kNumberLess,
  kNumberLessEquals,
  kNumberGreater,
  kNumberGreaterEquals,
  kDateEquals,
  kDateLess,
  kDateLessEquals,
  kDateGreater,
  kDateGreaterEquals,
  kBool,
  kBinary,
  kNetwork,
  kArn,
  kNull,
};

enum class Quantifier : uint8_t { kNone, kForAllValues, kForAnyValue };

// "ForAllValues:StringNotEqualsIfExists", in parts.
struct ConditionOperator {
  std::string name;  // whole
  Quantifier quantifier = Quantifier::kNone;
  ConditionTest test = ConditionTest::kString;
  bool is_negated = false;
  bool if_exists = false;
  PatternRules rules;  // of its values; variables if the policy has them
};

// `variables`: whether the policy's version has them. Errors: kInvalidArgument.
absl::StatusOr<ConditionOperator> ParseOperator(std::string_view name, bool variables);

// An address and how many of its bits count, IPv4 as ::ffff:a.b.c.d.
struct AddressRange {
  std::array<uint8_t, 16> address{};
  int bits = 128;
};

// A value of a policy, in the form in which its operator compares it.
struct ConditionValue {
  std::string text;  // as written
  std::optional<Pattern> pattern;
  double number = 0;
  absl::Time time;
  AddressRange range;
  std::string bytes;
};

// Errors: kInvalidArgument if the operator has no such values.
absl::StatusOr<ConditionValue> ParseConditionValue(const ConditionOperator& of,
                                                   std::string_view text);

struct Condition {
  ConditionOperator compare;
  std::string key;
  std::vector<ConditionValue> values;

  bool Holds(const RequestContext& context) const;

 private:
  // Whether the value is one of the policy's, negation included.
  bool Fits(const std::string& value, const RequestContext& context) const;
};

}  // namespace dynolith::iam

#endif  // DYNOLITH_TOOLS_SERVER_IAM_POLICY_CONDITION_H_
