// Attribute values in the service's JSON, made of what people write.
#ifndef DYNOLITH_TOOLS_FILES_ITEMS_ATTRIBUTE_VALUES_H_
#define DYNOLITH_TOOLS_FILES_ITEMS_ATTRIBUTE_VALUES_H_

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/base/json_tree.h"

namespace dynolith::designs {

// Names of attributes -> "S", "N", "B" and so on.
using AttributeTypes = std::unordered_map<std::string, std::string>;

// Whether it is {"S": "…"} or its like: one member that is a type, with what such a type holds.
// What is inside of lists and maps is not looked at.
bool IsTypedValue(const JsonTree& value);
// Whether it is an object, and each of its members is one.
bool IsTypedItem(const JsonTree& item);

// A value of plain JSON, or of the service's in which some lists and maps hold plain JSON, in the
// service's. `type`: what a plain text or number is meant to be: "N" for "12"; empty: what it looks
// like. A text that is no such value stays a text.
JsonTree TypedValue(const JsonTree& value, std::string_view type);
// Of {"s": "…"} or {"sS": […]}, as Data Pipeline wrote them. nullopt: it is none, all through.
std::optional<JsonTree> ValueOfLowerCase(const JsonTree& value);
// Of a whole item, also of one whose types are all in lower case; places stay.
JsonTree TypedItem(const JsonTree& item, const AttributeTypes& types);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_ITEMS_ATTRIBUTE_VALUES_H_
