// Keys that are equal except for the spelling of their numbers.
#ifndef DYNOLITH_API_JSON_SPELLED_KEYS_H_
#define DYNOLITH_API_JSON_SPELLED_KEYS_H_

#include <vector>

#include "absl/status/status.h"
#include "api/json/fields.h"
#include "api/json/value_reader.h"
#include "engine/value/item.h"

namespace dynolith {

// Reads a list of keys, without those that only spell the numbers of another one differently: they
// are not duplicates, and the item is returned once (api/facts/operations.md §2, BatchGetItem).
void ReadSpelledKeys(JsonValue list, ValueReader* values, absl::Status* violation,
                     std::vector<Item>* keys);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_SPELLED_KEYS_H_
