// Which items may be stored and which stand in an index, by the key attributes of tables and
// indexes.
#ifndef DYNOLITH_TESTS_MODEL_KEY_RULES_H_
#define DYNOLITH_TESTS_MODEL_KEY_RULES_H_

#include <optional>
#include <string>
#include <vector>

#include "tests/model/operation.h"

namespace dynolith::model {

inline constexpr const char* kValidation = "ValidationException";
inline constexpr const char* kConditionFailed = "ConditionalCheckFailedException";
inline constexpr const char* kResourceNotFound = "ResourceNotFoundException";

Outcome Error(const char* name);

bool IsEmpty(const Value& value);
std::vector<KeyAttribute> KeyAttributes(const Table& table);
std::vector<KeyAttribute> KeyAttributes(const Index& index);

// The key attributes of an item.
Item ItemKey(const Table& table, const Item& item);
// nullptr if there is none of that name.
const Index* FindIndex(const Table& table, const std::string& name);

bool KeyFits(const Table& table, const Item& item);
// Whether index keys that are there have the right type. What was already there before the index
// came (`old`) may stay.
bool IndexKeysFit(const Table& table, const Item& item, const Item& old);
// The same for what vector indexes hold besides.
bool VectorsFit(const Table& table, const Item& item, const Item& old);
// What an index holds of an item; nullopt if the item is not in it.
std::optional<Item> ModelEntry(const Table& table, const Index& index, const Item& item);

}  // namespace dynolith::model

#endif  // DYNOLITH_TESTS_MODEL_KEY_RULES_H_
