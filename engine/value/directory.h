// Reading the directory of a sequence or map (grammar in value.h).
#ifndef DYNOLITH_ENGINE_VALUE_DIRECTORY_H_
#define DYNOLITH_ENGINE_VALUE_DIRECTORY_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dynolith::value_internal {

// Reads the fixed-width directory of a container.
class Directory {
 public:
  // Requires: `bytes` is a well-formed sequence or map.
  explicit Directory(std::string_view bytes)
      : bytes_(bytes), width_(static_cast<uint8_t>(bytes[0])) {}
  size_t count() const { return Slot(0); }
  // The i-th integer of the directory; slot 0 is the count.
  size_t Slot(size_t i) const {
    const auto* at = reinterpret_cast<const uint8_t*>(bytes_.data()) + 1 + i * width_;
    if (width_ == 1) return at[0];
    if (width_ == 2) return at[0] | at[1] << 8;
    return at[0] | at[1] << 8 | at[2] << 16 | static_cast<size_t>(at[3]) << 24;
  }
  // The bytes behind `slots` directory integers.
  size_t HeaderBytes(size_t slots) const { return 1 + slots * width_; }
  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
  size_t width_;
};

}  // namespace dynolith::value_internal

#endif  // DYNOLITH_ENGINE_VALUE_DIRECTORY_H_
