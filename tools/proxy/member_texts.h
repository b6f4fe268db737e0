// Members of a JSON object, changed in its text: the rest stays byte for byte.
#ifndef DYNOLITH_TOOLS_PROXY_MEMBER_TEXTS_H_
#define DYNOLITH_TOOLS_PROXY_MEMBER_TEXTS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dynolith::proxy {

// Positions in the text.
struct MemberSpan {
  size_t name = 0;   // of its first quote
  size_t value = 0;  // of the value's first byte
  size_t end = 0;    // behind the value
};

// The first member of that name, which is written without escapes, of the object that the text is;
// nullopt: it has none, or is no object. Does not check that the text is JSON. O(text).
std::optional<MemberSpan> FindMember(std::string_view object, std::string_view name);

// The object with one more member in front of all others; `value` is JSON. Requires: an object
// without such a member.
std::string WithMember(std::string_view object, std::string_view name, std::string_view value);
// The object without the member, and the comma beside it. `span`: by FindMember.
std::string WithoutMember(std::string_view object, const MemberSpan& span);

}  // namespace dynolith::proxy

#endif  // DYNOLITH_TOOLS_PROXY_MEMBER_TEXTS_H_
