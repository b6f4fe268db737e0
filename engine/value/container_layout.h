// The arithmetic of sequences and maps (grammar in value.h): the width of a directory and how it is
// written. Shared by all code that makes or checks containers.
#ifndef DYNOLITH_ENGINE_VALUE_CONTAINER_LAYOUT_H_
#define DYNOLITH_ENGINE_VALUE_CONTAINER_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/value/byte_arena.h"

namespace dynolith::value_internal {

// The smallest directory width for numbers up to `largest`.
inline uint8_t WidthFor(size_t largest) { return largest <= 0xff ? 1 : largest <= 0xffff ? 2 : 4; }

// The bytes of a container and how they divide.
struct Layout {
  uint8_t width;
  size_t header_bytes;  // width byte, count and ends
  size_t total_bytes;
};

inline Layout SequenceLayout(size_t count, size_t element_bytes) {
  const uint8_t width = WidthFor(count > element_bytes ? count : element_bytes);
  const size_t header_bytes = 1 + (1 + count) * width;
  return {width, header_bytes, header_bytes + element_bytes};
}

inline Layout MapLayout(size_t count, size_t name_bytes, size_t value_bytes) {
  const size_t larger = name_bytes > value_bytes ? name_bytes : value_bytes;
  const uint8_t width = WidthFor(count > larger ? count : larger);
  const size_t header_bytes = 1 + (1 + 2 * count) * width;
  return {width, header_bytes, header_bytes + name_bytes + value_bytes};
}

// Writes a directory from its first byte on. The space must be there.
class DirectoryWriter {
 public:
  DirectoryWriter(char* at, uint8_t width, size_t count) : at_(at), width_(width) {
    *at_++ = static_cast<char>(width);
    Add(count);
  }
  void Add(size_t number) {
    const auto low = static_cast<uint32_t>(number);
    if (width_ == 1) {
      *at_ = static_cast<char>(low);
    } else if (width_ == 2) {
      at_[0] = static_cast<char>(low);
      at_[1] = static_cast<char>(low >> 8);
    } else {
      for (int i = 0; i < 4; ++i) at_[i] = static_cast<char>(low >> (8 * i));
    }
    at_ += width_;
  }

 private:
  char* at_;
  uint8_t width_;
};

// Copies `bytes` to `at`; returns the position after them.
inline char* WriteBytes(std::string_view bytes, char* at) {
  CopyBytes(bytes.data(), bytes.size(), at);
  return at + bytes.size();
}

}  // namespace dynolith::value_internal

#endif  // DYNOLITH_ENGINE_VALUE_CONTAINER_LAYOUT_H_
