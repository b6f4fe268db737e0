// What rows, batches, cursors and snapshots are made of. Private to engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_ROCKS_TYPES_H_
#define DYNOLITH_ENGINE_STORE_ROCKS_TYPES_H_

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "engine/store/rows/row_cache.h"
#include "engine/store/store.h"
#include "rocksdb/db.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/slice.h"
#include "rocksdb/snapshot.h"
#include "rocksdb/status.h"

namespace dynolith {

// In the order of Family; on disk.
inline constexpr std::string_view kFamilyNames[kFamilies] = {"default", "tables", "gsi",
                                                             "lsi",     "log",    "expiry"};

inline rocksdb::Slice ToSlice(std::string_view bytes) { return {bytes.data(), bytes.size()}; }
inline std::string_view FromSlice(const rocksdb::Slice& slice) {
  return {slice.data(), slice.size()};
}

// The failure as the store reports it, naming the folder. Requires: !status.ok().
absl::Status FromRocksFailure(std::string_view folder, const rocksdb::Status& status);
inline absl::Status FromRocks(std::string_view folder, const rocksdb::Status& status) {
  return status.ok() ? absl::OkStatus() : FromRocksFailure(folder, status);
}

#ifndef NDEBUG
inline constexpr bool kBreaksStaleViews = true;
#else
inline constexpr bool kBreaksStaleViews = false;
#endif

// A copy of bytes that is overwritten and freed when the original would become invalid, so that a
// view that outlives its promise shows rubbish (and AddressSanitizer says where).
class BreakableCopy {
 public:
  BreakableCopy() = default;
  BreakableCopy(BreakableCopy&& other) noexcept;
  BreakableCopy& operator=(BreakableCopy&& other) noexcept;
  ~BreakableCopy() { Break(); }

  std::string_view Hold(std::string_view bytes);
  void Break();
  bool holds() const { return bytes_ != nullptr; }
  std::string_view view() const { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<char[]> bytes_;
  size_t size_ = 0;
};

struct Row::Pin {
  rocksdb::PinnableSlice slice;
  SharedRow cached;    // instead of the slice
  BreakableCopy copy;  // of a debug build: where the row's view points
};

using FamilyHandles = std::array<rocksdb::ColumnFamilyHandle*, kFamilies>;

class Snapshot {
 public:
  explicit Snapshot(rocksdb::DB* db) : db_(db), rocks_(db->GetSnapshot()) {}
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot() { db_->ReleaseSnapshot(rocks_); }

  const rocksdb::Snapshot* rocks() const { return rocks_; }

 private:
  rocksdb::DB* const db_;
  const rocksdb::Snapshot* const rocks_;
};

// Never moves: the iterator keeps pointers to `begin` and `end`.
struct Cursor::Rep {
  absl::InlinedVector<char, 256> bounds;
  rocksdb::Slice begin;
  rocksdb::Slice end;
  bool has_end = false;
  Direction direction = Direction::kForward;
  std::string_view folder;  // of the store, for messages
  std::unique_ptr<rocksdb::Iterator> iterator;
  BreakableCopy key_copy;
  BreakableCopy value_copy;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ROCKS_TYPES_H_
