// The first rows of a range of keys, or all of them, as one row of a cache: as a walk has found
// them, one behind the other.
//
// clang-format off
//   key   = is_backward:u8 family:u8 begin-bytes:u32 begin end
//   value = changes:u64 members:u64 rows:u32 is_whole:u32 (key-bytes:u32 value-bytes:u32 key value)*
// clang-format on
//
// Numbers are the machine's, since nothing of it leaves the process.
#ifndef DYNOLITH_ENGINE_STORE_ROWS_CACHED_RANGE_H_
#define DYNOLITH_ENGINE_STORE_ROWS_CACHED_RANGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"

namespace dynolith {

// Rows whose keys have their first so many bytes in common are a collection: the id, and the hash
// of the partition key (engine/key/key_codec.h). Only ranges within one are cached, so that the
// change of a row concerns the ranges of its collection only.
inline constexpr size_t kCollectionBytes = 12;

// Names the walk over [begin, end) of a family in a direction.
class RangeKey {
 public:
  static bool IsInOneCollection(std::string_view begin, std::string_view end) {
    return begin.size() >= kCollectionBytes &&
           end.substr(0, kCollectionBytes) == begin.substr(0, kCollectionBytes);
  }
  // Requires: IsInOneCollection(begin, end).
  RangeKey(uint8_t family, bool is_backward, std::string_view begin, std::string_view end);
  // All rows of the range's collection, forward.
  RangeKey WholeCollection() const;

  std::string_view bytes() const { return {bytes_.data(), bytes_.size()}; }
  std::string_view collection() const { return bytes().substr(kHeadBytes, kCollectionBytes); }
  uint8_t family() const { return static_cast<uint8_t>(bytes_[1]); }
  bool is_backward() const { return bytes_[0] != 0; }
  std::string_view begin() const { return bytes().substr(kHeadBytes, begin_bytes_); }
  std::string_view end() const { return bytes().substr(kHeadBytes + begin_bytes_); }

 private:
  static constexpr size_t kHeadBytes = 2 + sizeof(uint32_t);
  const uint32_t begin_bytes_;
  absl::InlinedVector<char, 256> bytes_;
};

// The state of the collections that share a set of the cache. `members` changes when rows may come
// or go, `changes` whenever a row changes at all.
struct RangeState {
  uint64_t changes = 0;
  uint64_t members = 0;
  friend bool operator==(const RangeState&, const RangeState&) = default;
};

// Reads a value.
class CachedRange {
 public:
  CachedRange() = default;
  explicit CachedRange(std::string_view value);

  const RangeState& state() const { return head_.state; }
  uint32_t rows() const { return head_.rows; }
  // Whether these are all rows of the range.
  bool is_whole() const { return head_.is_whole != 0; }
  // Whether a reader of the first `rows` of them (0: of all) needs no others.
  bool Suffices(size_t rows) const { return is_whole() || (rows != 0 && rows <= head_.rows); }
  // Moves to the next row, at first to the first one. False: there is no other.
  bool Next();
  // Of the present row; views of the value.
  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }

 private:
  friend class RangeRecorder;
  struct Head {
    RangeState state;
    uint32_t rows = 0;
    uint32_t is_whole = 0;
  };
  struct RowHead {
    uint32_t key_bytes;
    uint32_t value_bytes;
  };

  Head head_;
  std::string_view rest_;
  std::string_view key_;
  std::string_view value_;
};

// Of a range of all rows of a collection, those of another range in it, in that one's order; at
// most `rows` (0: all).
struct RowsWithin {
  struct Row {
    std::string_view key;
    std::string_view value;
  };
  RowsWithin(CachedRange whole, const RangeKey& range, size_t rows);

  absl::InlinedVector<Row, 64> rows;  // views of the range's value
  bool is_whole = false;              // these are all
};

// Makes a value.
class RangeRecorder {
 public:
  // False: it has become too large, or there is no memory, and it is of no use any more.
  bool Add(std::string_view key, std::string_view value);
  uint32_t rows() const { return head_.rows; }
  // `state`: that of the ticket. Until the next call.
  std::string_view Finish(const RangeState& state, bool is_whole);

 private:
  // So that one range does not take the place of thousands of rows.
  static constexpr size_t kBytesMax = 64 << 10;

  CachedRange::Head head_;
  std::string bytes_ = std::string(sizeof(CachedRange::Head), '\0');
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ROWS_CACHED_RANGE_H_
