#include "tools/mcp/plain_value.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/mcp/json_values.h"
#include "tools/mcp/messages.h"

namespace dynolith::mcp {
namespace {

// A double keeps so many digits of any decimal number.
constexpr size_t kDigitsOfDouble = 15;

struct TaggedType {
  std::string_view tag;
  std::string_view type;
  bool is_set;
};
constexpr TaggedType kTagged[] = {{"$number", "N", false},
                                  {"$binary", "B", false},
                                  {"$string_set", "SS", true},
                                  {"$number_set", "NS", true},
                                  {"$binary_set", "BS", true}};
constexpr std::string_view kMapTag = "$map";

// Of a number as the service prints it, without an exponent.
size_t SignificantDigits(std::string_view number) {
  std::string digits;
  for (const char c : number) {
    if (c >= '0' && c <= '9' && !(digits.empty() && c == '0')) digits += c;
  }
  const size_t last = digits.find_last_not_of('0');
  return last == std::string::npos ? 0 : last + 1;
}

JsonTree Tagged(std::string_view tag, JsonTree value) {
  JsonTree tagged = MapTree();
  SetMember(&tagged, tag, std::move(value));
  return tagged;
}

JsonTree PlainMap(const JsonTree& typed_map) {
  JsonTree plain = PlainItem(typed_map);
  const bool is_like_a_tag = plain.members.size() == 1 && plain.members[0].name.starts_with('$');
  return is_like_a_tag ? Tagged(kMapTag, std::move(plain)) : plain;
}

JsonTree Typed(std::string_view type, JsonTree value) { return Tagged(type, std::move(value)); }

absl::StatusOr<JsonTree> TypedList(const JsonTree& plain, const std::string& path) {
  JsonTree list = ListTree();
  for (size_t i = 0; i < plain.elements.size(); ++i) {
    DYNOLITH_ASSIGN_OR_RETURN(JsonTree element,
                              TypedValue(plain.elements[i], Concat(path, "[", i, "]")));
    list.elements.push_back(std::move(element));
  }
  return Typed("L", std::move(list));
}

bool IsTextList(const JsonTree& tree) {
  return tree.kind == JsonTree::Kind::kList &&
         std::all_of(tree.elements.begin(), tree.elements.end(),
                     [](const JsonTree& each) { return each.kind == JsonTree::Kind::kString; });
}

// Of an object with one member, whose name begins with $.
absl::StatusOr<JsonTree> TypedTagged(const JsonTree::Member& member, const std::string& path) {
  if (member.name == kMapTag && member.value.kind == JsonTree::Kind::kMap) {
    DYNOLITH_ASSIGN_OR_RETURN(JsonTree map, TypedItem(member.value, path));
    return Typed("M", std::move(map));
  }
  for (const TaggedType& each : kTagged) {
    if (member.name != each.tag) continue;
    const bool fits =
        each.is_set ? IsTextList(member.value) : member.value.kind == JsonTree::Kind::kString;
    if (fits) return Typed(each.type, member.value);
  }
  return absl::InvalidArgumentError(messages::McpNoSuchTag(path, member.name));
}

}  // namespace

JsonTree PlainValue(const JsonTree& typed) {
  if (typed.members.size() != 1) return typed;
  const auto& [type, value] = typed.members[0];
  if (type == "N") {
    return SignificantDigits(value.text) <= kDigitsOfDouble ? WordTree(value.text)
                                                            : Tagged("$number", value);
  }
  if (type == "NULL") return WordTree("null");
  if (type == "M") return PlainMap(value);
  if (type == "L") {
    JsonTree list = ListTree();
    for (const JsonTree& element : value.elements) list.elements.push_back(PlainValue(element));
    return list;
  }
  for (const TaggedType& each : kTagged) {
    if (type == each.type) return Tagged(each.tag, value);
  }
  return value;  // S, BOOL
}

JsonTree PlainItem(const JsonTree& typed_item) {
  JsonTree plain = MapTree();
  for (const auto& [name, value] : typed_item.members) {
    plain.members.push_back({name, PlainValue(value)});
  }
  return plain;
}

absl::StatusOr<JsonTree> TypedValue(const JsonTree& plain, const std::string& path) {
  switch (plain.kind) {
    case JsonTree::Kind::kString:
      return Typed("S", plain);
    case JsonTree::Kind::kList:
      return TypedList(plain, path);
    case JsonTree::Kind::kMap: {
      const bool is_tagged = plain.members.size() == 1 && plain.members[0].name.starts_with('$');
      if (is_tagged) return TypedTagged(plain.members[0], path);
      DYNOLITH_ASSIGN_OR_RETURN(JsonTree map, TypedItem(plain, path));
      return Typed("M", std::move(map));
    }
    case JsonTree::Kind::kOther:
      break;
  }
  if (plain.text == "null") return Typed("NULL", WordTree("true"));
  if (plain.text == "true" || plain.text == "false") return Typed("BOOL", plain);
  return Typed("N", TextTree(plain.text));
}

absl::StatusOr<JsonTree> TypedItem(const JsonTree& plain_item, const std::string& path) {
  JsonTree typed = MapTree();
  for (const auto& [name, value] : plain_item.members) {
    DYNOLITH_ASSIGN_OR_RETURN(JsonTree inner, TypedValue(value, Concat(path, ".", name)));
    typed.members.push_back({name, std::move(inner)});
  }
  return typed;
}

}  // namespace dynolith::mcp
