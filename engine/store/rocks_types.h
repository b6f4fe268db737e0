// The implementations of rows, batches, cursors and snapshots. Private to engine/store: includes
// RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_ROCKS_TYPES_H_
#define DYNOLITH_ENGINE_STORE_ROCKS_TYPES_H_

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "engine/store/rows/row_cache.h"
#include "engine/store/sorted/slice.h"
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
// dangling view shows rubbish (and AddressSanitizer says where).
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
  SharedRow shared;    // instead of the slice: a row of the cache, or of a store in memory
  BreakableCopy copy;  // in a debug build: the target of the row's view
};

using FamilyHandles = std::array<rocksdb::ColumnFamilyHandle*, kFamilies>;

// The walker of a cursor. A move returns whether there is a row, and shows it.
class Cursor::Rep {
 public:
  Rep() = default;
  Rep(const Rep&) = delete;
  Rep& operator=(const Rep&) = delete;
  virtual ~Rep() = default;

  virtual bool SeekToStart() = 0;
  virtual bool SeekAfter(std::string_view key) = 0;
  virtual bool Next() = 0;
  virtual absl::Status status() const = 0;

  // Of the present row.
  std::string_view key;
  std::string_view value;
  // In a debug build: the targets of the cursor's views.
  BreakableCopy key_copy;
  BreakableCopy value_copy;
};

// Cannot be moved: the iterator keeps pointers to the bounds.
class RocksCursor final : public Cursor::Rep {
 public:
  // `folder` is the store's, for messages, and outlives it.
  RocksCursor(std::string_view folder, std::string_view begin, std::string_view end,
              Direction direction);
  ~RocksCursor() override;
  // Call it once, before all others. Without memory the cursor has a status only.
  void Open(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family, rocksdb::ReadOptions reading);

  bool SeekToStart() override;
  bool SeekAfter(std::string_view key) override;
  bool Next() override;
  absl::Status status() const override;

 private:
  bool Arrive();

  const std::string_view folder_;
  const Direction direction_;
  const bool has_end_;
  absl::InlinedVector<char, 256> bounds_;
  rocksdb::Slice begin_;
  rocksdb::Slice end_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ROCKS_TYPES_H_
