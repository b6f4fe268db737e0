// Whether a list of items contains one of them twice.
#ifndef DYNOLITH_ENGINE_VALUE_EQUAL_ITEMS_H_
#define DYNOLITH_ENGINE_VALUE_EQUAL_ITEMS_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "engine/value/item.h"

namespace dynolith {

namespace equal_items_internal {

// More than a call may name (limits.h), a power of two.
inline constexpr size_t kFewItems = 128;
inline constexpr size_t kSlots = 4 * kFewItems;

// Keys of one table differ in their last bytes more often than anywhere else.
inline size_t HashSlot(std::string_view bytes) {
  uint64_t first = 0;
  uint64_t last = bytes.size();
  if (bytes.size() >= sizeof(first)) {
    std::memcpy(&first, bytes.data() + (bytes.size() - sizeof(first)) / 2, sizeof(first));
    std::memcpy(&last, bytes.data() + bytes.size() - sizeof(last), sizeof(last));
  }
  return ((first * 0x9E3779B97F4A7C15 ^ last) * 0xD6E8FEB86659FD93) >> (64 - 9);
}

inline bool HasEqualOfFew(const std::vector<Item>& items) {
  // 0: empty; else which item, from 1.
  std::array<uint8_t, kSlots> slots = {};
  static_assert(kSlots == size_t{1} << 9 && kFewItems < 256);
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string_view bytes = items[i].bytes();
    size_t slot = HashSlot(bytes);
    for (; slots[slot] != 0; slot = (slot + 1) % kSlots) {
      if (items[slots[slot] - 1].bytes() == bytes) return true;
    }
    slots[slot] = static_cast<uint8_t>(i + 1);
  }
  return false;
}

}  // namespace equal_items_internal

// O(bytes of all) for lists within a call's limits, unless an attacker has chosen items that share
// a slot.
inline bool HasEqualItems(const std::vector<Item>& items) {
  if (items.size() <= equal_items_internal::kFewItems) {
    return equal_items_internal::HasEqualOfFew(items);
  }
  std::vector<std::string_view> sorted;
  sorted.reserve(items.size());
  for (const Item& item : items) sorted.push_back(item.bytes());
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_VALUE_EQUAL_ITEMS_H_
