// A growing run of bytes for the item builder: uninitialised space at the end, one branch per
// append.
#ifndef DYNOLITH_ENGINE_VALUE_BYTE_ARENA_H_
#define DYNOLITH_ENGINE_VALUE_BYTE_ARENA_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace dynolith::value_internal {

// Copies `size` bytes. Names and most scalars have at most 16, for which a call of memcpy costs
// more than the copy.
inline void CopyBytes(const char* from, size_t size, char* to) {
  if (size > 16) {
    std::memcpy(to, from, size);
  } else if (size >= 8) {
    uint64_t first, last;
    std::memcpy(&first, from, 8);
    std::memcpy(&last, from + size - 8, 8);
    std::memcpy(to, &first, 8);
    std::memcpy(to + size - 8, &last, 8);
  } else if (size >= 4) {
    uint32_t first, last;
    std::memcpy(&first, from, 4);
    std::memcpy(&last, from + size - 4, 4);
    std::memcpy(to, &first, 4);
    std::memcpy(to + size - 4, &last, 4);
  } else if (size > 0) {
    const char middle = from[size / 2];
    const char last = from[size - 1];
    to[0] = from[0];
    to[size / 2] = middle;
    to[size - 1] = last;
  }
}

// The first eight bytes as a number with the same order; shorter names are padded with zeros.
inline uint64_t OrderingPrefix(std::string_view name) {
  uint64_t prefix = 0;
  const size_t size = std::min<size_t>(name.size(), sizeof prefix);
  for (size_t i = 0; i < size; ++i) prefix = prefix << 8 | static_cast<uint8_t>(name[i]);
  return size == 0 ? 0 : prefix << (8 * (sizeof prefix - size));
}

class ByteArena {
 public:
  size_t size() const { return size_; }
  std::string_view View(size_t begin, size_t size) const { return {data_.get() + begin, size}; }

  // Space for `size` more bytes, which the caller writes.
  char* Extend(size_t size) {
    if (capacity_ - size_ < size) Grow(size);
    char* const at = data_.get() + size_;
    size_ += size;
    return at;
  }
  void Append(std::string_view bytes) {
    CopyBytes(bytes.data(), bytes.size(), Extend(bytes.size()));
  }
  // Appends one byte and then `bytes`.
  void Append(char tag, std::string_view bytes) {
    char* const at = Extend(1 + bytes.size());
    *at = tag;
    CopyBytes(bytes.data(), bytes.size(), at + 1);
  }
  // Keeps the memory.
  void Clear() { size_ = 0; }

 private:
  void Grow(size_t size) {
    constexpr size_t kBytesMin = 1024;
    const size_t capacity = std::max({kBytesMin, 2 * capacity_, size_ + size});
    auto data = std::make_unique_for_overwrite<char[]>(capacity);
    if (size_ > 0) std::memcpy(data.get(), data_.get(), size_);
    data_ = std::move(data);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> data_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace dynolith::value_internal

#endif  // DYNOLITH_ENGINE_VALUE_BYTE_ARENA_H_
