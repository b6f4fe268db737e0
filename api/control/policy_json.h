// JSON as policies are written in. (api/json cannot be asked: it is above this room.)
#ifndef DYNOLITH_API_CONTROL_POLICY_JSON_H_
#define DYNOLITH_API_CONTROL_POLICY_JSON_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynolith {

struct PolicyJson {
  enum class Kind { kString, kList, kMap, kOther };
  struct Member;

  Kind kind = Kind::kOther;
  // Of a string without its escapes; of a number, true, false or null as it was written.
  std::string text;
  std::vector<PolicyJson> elements;
  std::vector<Member> members;
  // Where it begins in the document, counted from 1.
  size_t line = 0;
  size_t column = 0;

  // nullptr if absent.
  const PolicyJson* Find(std::string_view name) const;
  PolicyJson* Find(std::string_view name);
};

struct PolicyJson::Member {
  std::string name;
  PolicyJson value;
};

// nullopt if `text` is not one JSON value, or one that is nested too deeply.
std::optional<PolicyJson> ParsePolicyJson(std::string_view text);

// Without white space.
std::string PrintPolicyJson(const PolicyJson& value);

}  // namespace dynolith

#endif  // DYNOLITH_API_CONTROL_POLICY_JSON_H_
