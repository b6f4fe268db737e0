// The bytes of keys that mostly tell two of them apart, as numbers, which are compared without
// going to where the keys lie.
#ifndef DYNOLITH_ENGINE_STORE_SORTED_KEY_HEAD_H_
#define DYNOLITH_ENGINE_STORE_SORTED_KEY_HEAD_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/base/big_endian.h"

namespace dynolith {

// How many of their first bytes are the same.
inline size_t CommonPrefixBytes(std::string_view one, std::string_view other) {
  const size_t bytes = std::min(one.size(), other.size());
  return static_cast<size_t>(
      std::mismatch(one.begin(), one.begin() + static_cast<ptrdiff_t>(bytes), other.begin()).first -
      one.begin());
}

// The eight bytes behind the first `begin`, with zeros for those that the key does not have. Of two
// keys that begin with the same `begin` bytes, the one with the smaller head is the smaller one; of
// two with one head that is not known.
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
