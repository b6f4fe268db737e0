#include "api/json/single_member.h"

#include <optional>

#include "api/json/json_parser.h"

namespace dynolith {

std::variant<double, std::string, SingleMemberError> ReadSingleMember(std::string_view json,
                                                                      std::string_view name) {
  JsonParser parser;
  const std::optional<JsonValue> root = parser.Parse(json);
  JsonObject object;
  if (!root || root->get(object) != simdjson::SUCCESS) return SingleMemberError::kNotAnObject;
  if (object.size() != 1 || (*object.begin()).key != name) return SingleMemberError::kOtherMembers;
  const JsonValue value = (*object.begin()).value;
  double number = 0;
  if (value.get(number) == simdjson::SUCCESS) return number;
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return std::string(text);
  return SingleMemberError::kOtherType;
}

bool IsEmptyObject(std::string_view json) {
  JsonParser parser;
  const std::optional<JsonValue> root = parser.Parse(json);
  JsonObject object;
  return root && root->get(object) == simdjson::SUCCESS && object.size() == 0;
}

}  // namespace dynolith
