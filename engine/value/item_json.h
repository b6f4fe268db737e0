// Values and items as the wire's JSON and back. The wire's own reader, which checks what users
// send, is above this room (api/json).
#ifndef DYNOLITH_ENGINE_VALUE_ITEM_JSON_H_
#define DYNOLITH_ENGINE_VALUE_ITEM_JSON_H_

#include <optional>
#include <string>

#include "engine/base/limits.h"
#include "engine/text/json_tree.h"
#include "engine/value/item.h"
#include "engine/value/value.h"

namespace dynolith {

// {"S":"…"}; and {"name":{"S":"…"},…}. Recurse: for values that may be stored, which are at most
// kNestingDepthMax deep.
void AppendJsonValue(ValueView value, std::string* out);
void AppendJsonItem(ItemView item, std::string* out);

// At least the number of lists and maps around a text in the JSON of a stored item: two for each
// level of nesting, and those of the item and of a set.
inline constexpr int kItemJsonDepthMax = 2 * kNestingDepthMax + 6;

// The item that AppendJsonItem has printed; nullopt for other JSON.
std::optional<Item> ItemOfJson(const JsonTree& json);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_VALUE_ITEM_JSON_H_
