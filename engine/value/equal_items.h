// Whether a list of items holds one of them twice.
#ifndef DYNOLITH_ENGINE_VALUE_EQUAL_ITEMS_H_
#define DYNOLITH_ENGINE_VALUE_EQUAL_ITEMS_H_

#include <algorithm>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "engine/base/strings.h"
#include "engine/value/item.h"

namespace dynolith {

// O(bytes of all).
inline bool HasEqualItems(const std::vector<Item>& items) {
  absl::flat_hash_set<std::string_view, StringViewHash> seen;
  seen.reserve(items.size());
  return !std::all_of(items.begin(), items.end(),
                      [&](const Item& item) { return seen.insert(item.bytes()).second; });
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_VALUE_EQUAL_ITEMS_H_
