// The distinguishing bytes of keys, as numbers, so that most comparisons need not read the keys.
#ifndef DYNOLITH_ENGINE_STORE_SORTED_KEY_HEAD_H_
#define DYNOLITH_ENGINE_STORE_SORTED_KEY_HEAD_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/base/big_endian.h"

namespace dynolith {

// The length of their common prefix.
inline size_t CommonPrefixBytes(std::string_view one, std::string_view other) {
  const size_t bytes = std::min(one.size(), other.size());
  return static_cast<size_t>(
      std::mismatch(one.begin(), one.begin() + static_cast<ptrdiff_t>(bytes), other.begin()).first -
      one.begin());
}

// The eight bytes after the first `begin`, padded with zeros. Of two keys with the same first
// `begin` bytes, the one with the smaller head is smaller; with equal heads the order is not known.
inline uint64_t KeyHead(std::string_view key, size_t begin) {
  if (key.size() >= begin + sizeof(uint64_t)) return ReadBigEndian(key.substr(begin));
  uint64_t head = 0;
  for (size_t i = begin; i < begin + sizeof head; ++i) {
    head = head << 8 | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0);
  }
  return head;
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_SORTED_KEY_HEAD_H_
