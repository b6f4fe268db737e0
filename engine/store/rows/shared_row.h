// A row in memory: its key and its value in one piece, which those who hold it share.
#ifndef DYNOLITH_ENGINE_STORE_ROWS_SHARED_ROW_H_
#define DYNOLITH_ENGINE_STORE_ROWS_SHARED_ROW_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace dynolith {

// A row that several may hold. Stays as it is while anybody else does; the last one frees it.
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

  // The key and the value lie behind it. Of a row that may be overwritten where it is, beside its
  // readers (RowTree::Overwrite), whole_value() is its value for all but who overwrites
  // it.
  struct Bytes {
    // In `holders`: whoever set it is overwriting the value.
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
    // Of memory, with what the allocator adds.
    size_t size() const { return SizeOf(row_bytes()); }
    static size_t SizeOf(size_t row_bytes) { return sizeof(Bytes) + row_bytes + 16; }

    // With one holder.
    static Bytes* Make(std::string_view key, std::string_view value);
    // Whether a value of that size may take the place of the one that is there.
    bool Suits(size_t bytes) const {
      return bytes <= value_bytes_max && bytes >= value_bytes_max / 2;
    }
    // Overwrites the value where it is if nobody else holds the row and the place suits: false if
    // not.
    bool Take(std::string_view value);
    // Requires: nobody reads it meanwhile, and the place suits.
    void Set(std::string_view value);
    // One more holder, who sees a value that is whole.
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
    // When it is not being overwritten.
    std::string_view AwaitValue() const;
  };

  explicit SharedRow(Bytes* bytes) : bytes_(bytes) {}

  Bytes* bytes_ = nullptr;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ROWS_SHARED_ROW_H_
