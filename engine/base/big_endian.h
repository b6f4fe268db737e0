// 64-bit integers as bytes whose memcmp order is their order.
#ifndef DYNOLITH_ENGINE_BASE_BIG_ENDIAN_H_
#define DYNOLITH_ENGINE_BASE_BIG_ENDIAN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dynolith {

inline void AppendBigEndian(uint64_t number, std::string* bytes) {
  for (int shift = 56; shift >= 0; shift -= 8) bytes->push_back(static_cast<char>(number >> shift));
}

// Requires: bytes.size() >= 8.
inline uint64_t ReadBigEndian(std::string_view bytes) {
  uint64_t number = 0;
  for (size_t i = 0; i < sizeof number; ++i) number = number << 8 | static_cast<uint8_t>(bytes[i]);
  return number;
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_BIG_ENDIAN_H_
