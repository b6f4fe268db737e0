// 64-bit integers as bytes that memcmp orders as the integers.
#ifndef DYNOLITH_ENGINE_BASE_BIG_ENDIAN_H_
#define DYNOLITH_ENGINE_BASE_BIG_ENDIAN_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace dynolith {

// Requires: room for 8 bytes.
inline void StoreBigEndian(uint64_t number, char* bytes) {
  // This becomes one store; a loop becomes eight.
  static_assert(std::endian::native == std::endian::little);
  const uint64_t swapped = __builtin_bswap64(number);
  std::memcpy(bytes, &swapped, sizeof(swapped));
}

inline void AppendBigEndian(uint64_t number, std::string* bytes) {
  char stored[sizeof(number)];
  StoreBigEndian(number, stored);
  bytes->append(stored, sizeof(stored));
}

// Requires: bytes.size() >= 8.
inline uint64_t ReadBigEndian(std::string_view bytes) {
  // This becomes one load; a loop does not.
  const auto at = [bytes](size_t i) { return uint64_t{static_cast<uint8_t>(bytes[i])}; };
  return at(0) << 56 | at(1) << 48 | at(2) << 40 | at(3) << 32 | at(4) << 24 | at(5) << 16 |
         at(6) << 8 | at(7);
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_BIG_ENDIAN_H_
