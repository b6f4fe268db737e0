// Attribute values in the service's JSON, from the forms that users write.
#ifndef DYNOLITH_TOOLS_FILES_ITEMS_ATTRIBUTE_VALUES_H_
#define DYNOLITH_TOOLS_FILES_ITEMS_ATTRIBUTE_VALUES_H_

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/text/json_tree.h"

namespace dynolith::designs {

// Names of attributes -> "S", "N", "B" and so on.
using AttributeTypes = std::unordered_map<std::string, std::string>;

// Whether it is {"S": "…"} or similar: one member that is a type, with content of that type. The
// content of lists and maps is not checked.
bool IsTypedValue(const JsonTree& value);
// Whether it is an object, and each of its members is one.
bool IsTypedItem(const JsonTree& item);

// Converts plain JSON, or the service's JSON with some plain JSON in lists and maps, to the
// service's JSON. `type`: the intended type of a plain text or number: "N" for "12"; empty: by its
// form. A text that is not a value of the type stays a text.
JsonTree TypedValue(const JsonTree& value, std::string_view type);
// Converts {"s": "…"} or {"sS": […]}, as Data Pipeline wrote them. nullopt: some part does not have
// this form.
std::optional<JsonTree> ValueOfLowerCase(const JsonTree& value);
// Converts a whole item, also one whose types are all in lower case; positions are kept.
JsonTree TypedItem(const JsonTree& item, const AttributeTypes& types);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_ITEMS_ATTRIBUTE_VALUES_H_
