#include "api/json/single_member.h"

#include "simdjson.h"

namespace dynolith {

std::variant<double, std::string, SingleMemberFault> ReadSingleMember(std::string_view json,
                                                                      std::string_view name) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  if (parser.parse(json.data(), json.size()).get(object) != simdjson::SUCCESS) {
    return SingleMemberFault::kNotAnObject;
  }
  if (object.size() != 1 || (*object.begin()).key != name) return SingleMemberFault::kOtherMembers;
  const simdjson::dom::element value = (*object.begin()).value;
  double number = 0;
  if (value.get(number) == simdjson::SUCCESS) return number;
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return std::string(text);
  return SingleMemberFault::kOtherType;
}

bool IsEmptyObject(std::string_view json) {
  simdjson::dom::parser parser;
  simdjson::dom::object object;
  return parser.parse(json.data(), json.size()).get(object) == simdjson::SUCCESS &&
         object.size() == 0;
}

}  // namespace dynolith
