// The storage id in a row's key, as far as the store needs it: four bytes, big-endian; at the
// beginning of the key, in kExpiry after the eight bytes of a time.
#ifndef DYNOLITH_ENGINE_STORE_ROW_ID_H_
#define DYNOLITH_ENGINE_STORE_ROW_ID_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace dynolith {

inline constexpr size_t kRowIdBytes = 4;
inline constexpr size_t kExpiryRowIdAt = 8;

// Requires: row_key.size() >= kRowIdBytes.
inline uint32_t RowIdFromKey(std::string_view row_key) {
  uint32_t id = 0;
  for (size_t i = 0; i < kRowIdBytes; ++i) id = id << 8 | static_cast<uint8_t>(row_key[i]);
  return id;
}

inline std::string RowIdPrefix(uint32_t id) {
  return {static_cast<char>(id >> 24), static_cast<char>(id >> 16), static_cast<char>(id >> 8),
          static_cast<char>(id)};
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ROW_ID_H_
