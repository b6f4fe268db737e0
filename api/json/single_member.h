// A JSON object with one member: the bodies of requests that are not operations.
#ifndef DYNOLITH_API_JSON_SINGLE_MEMBER_H_
#define DYNOLITH_API_JSON_SINGLE_MEMBER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace dynolith {

enum class SingleMemberError : uint8_t {
  kNotAnObject,   // or no JSON at all
  kOtherMembers,  // the member is absent, or there is another one
  kOtherType      // it is neither a number nor a text
};

// The member `name` of an object that has no other one.
std::variant<double, std::string, SingleMemberError> ReadSingleMember(std::string_view json,
                                                                      std::string_view name);

// Whether the text is an object without members.
bool IsEmptyObject(std::string_view json);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_SINGLE_MEMBER_H_
