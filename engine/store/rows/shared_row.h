// A reference-counted row in memory: its key and its value in one piece.
#ifndef DYNOLITH_ENGINE_STORE_ROWS_SHARED_ROW_H_
#define DYNOLITH_ENGINE_STORE_ROWS_SHARED_ROW_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace dynolith {

// A row with several holders. Unchanged while anybody else holds it; the last one frees it.
class SharedRow {
 public:
  SharedRow() = default;
  SharedRow(SharedRow&& other) noexcept : bytes_(std::exchange(other.bytes_, nullptr)) {}
  SharedRow& operator=(SharedRow&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~SharedRow() { Release(); }

  static SharedRow Of(std::string_view key, std::string_view value) {
    return SharedRow(Bytes::Make(key, value));
  }

  explicit operator bool() const { return bytes_ != nullptr; }
  // Requires: *this. Borrowed from this SharedRow.
  std::string_view value() const { return bytes_->value(); }
  void Release() {
    if (bytes_ != nullptr) Bytes::Release(std::exchange(bytes_, nullptr));
  }

 private:
  friend class RowCache;
  friend class RowTree;

  // The key and the value follow it. For a row that may be overwritten in place, beside its readers
  // (RowTree::Overwrite), only the overwriting thread may use whole_value().
  struct Bytes {
    // In `holders`: the value is being overwritten.
    static constexpr uint32_t kIsWritten = uint32_t{1} << 31;

    std::atomic<uint32_t> holders;
    const uint32_t key_bytes;
    uint32_t value_bytes;
    const uint32_t value_bytes_max;

    const char* data() const { return reinterpret_cast<const char*>(this + 1); }
    std::string_view key() const { return {data(), key_bytes}; }
    std::string_view value() const { return {data() + key_bytes, value_bytes}; }
    // Of the key and the place for the value.
    size_t row_bytes() const { return key_bytes + size_t{value_bytes_max}; }
    // Memory, including the allocator's overhead.
    size_t size() const { return AllocatedBytes(row_bytes()); }
    static size_t AllocatedBytes(size_t row_bytes) { return sizeof(Bytes) + row_bytes + 16; }

    // With one holder.
    static Bytes* Make(std::string_view key, std::string_view value);
    // Whether a value of that size may replace the present one in place.
    bool Suits(size_t bytes) const {
      return bytes <= value_bytes_max && bytes >= value_bytes_max / 2;
    }
    // Overwrites the value in place if nobody else holds the row and the place suits: false if not.
    bool Take(std::string_view value);
    // Requires: no concurrent reader, and the place suits.
    void Set(std::string_view value);
    // Adds a holder, who sees a whole value.
    void Hold() {
      if ((holders.fetch_add(1) & kIsWritten) != 0) AwaitValue();
    }
    std::string_view whole_value() const {
      return (holders.load() & kIsWritten) != 0 ? AwaitValue() : value();
    }
    static void Release(Bytes* bytes) {
      if (bytes->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) Free(bytes);
    }
    static void Free(Bytes* bytes);

   private:
    // The value once it is not being overwritten.
    std::string_view AwaitValue() const;
  };

  explicit SharedRow(Bytes* bytes) : bytes_(bytes) {}

  Bytes* bytes_ = nullptr;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ROWS_SHARED_ROW_H_
