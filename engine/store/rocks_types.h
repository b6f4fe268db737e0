// The implementations of rows, batches, cursors and snapshots. Private to engine/store: includes
// RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_ROCKS_TYPES_H_
#define DYNOLITH_ENGINE_STORE_ROCKS_TYPES_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "engine/store/cursor_rep.h"
#include "engine/store/rows/cached_range.h"
#include "engine/store/rows/row_cache.h"
#include "engine/store/rows/shared_row.h"
#include "engine/store/sorted/slice.h"
#include "engine/store/store.h"
#include "rocksdb/db.h"
#include "rocksdb/iterator.h"
#include "rocksdb/options.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/slice.h"
#include "rocksdb/snapshot.h"
#include "rocksdb/status.h"
#include "rocksdb/version.h"

namespace dynolith {

// In the order of Family; on disk.
inline constexpr std::string_view kFamilyNames[kFamilies] = {"default", "tables", "gsi",
                                                             "lsi",     "log",    "expiry"};

// The failure as the store reports it, naming the folder. Requires: !status.ok().
absl::Status FromRocksFailure(std::string_view folder, const rocksdb::Status& status);
inline absl::Status FromRocks(std::string_view folder, const rocksdb::Status& status) {
  return status.ok() ? absl::OkStatus() : FromRocksFailure(folder, status);
}

using FamilyHandles = std::array<rocksdb::ColumnFamilyHandle*, kFamilies>;

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

// Walks the rows of a range in the cache of rows. A walk that goes on behind the first rows of a
// range that the cache has, or begins there, goes on by RocksDB.
class CachedCursor final : public Cursor::Rep {
 public:
  using Open = std::function<std::unique_ptr<RocksCursor>(const RangeKey& range)>;

  CachedCursor(SharedRow rows, const RangeKey& range, Open open)
      : held_(std::move(rows)), range_(range), open_(std::move(open)), rows_(held_.value()) {}

  bool SeekToStart() override;
  bool SeekAfter(std::string_view after) override;
  bool Next() override;
  absl::Status status() const override {
    return others_ == nullptr ? absl::OkStatus() : others_->status();
  }

 private:
  // By RocksDB.
  bool GoOnAfter(std::string_view after);
  bool ShowOther(bool is_there);

  const SharedRow held_;
  const RangeKey range_;
  const Open open_;
  CachedRange rows_;
  std::unique_ptr<RocksCursor> others_;  // nullptr: it is at a cached row
};

// Walks rows by RocksDB. When it is destroyed it leaves them to the cache of rows, if it has got to
// the end of the range or to row `rows` (0: only to the end), and has the collection cached if it
// has passed many older versions.
class RecordingCursor final : public Cursor::Rep {
 public:
  using AddCollection = std::function<void(const RangeKey& whole)>;

  RecordingCursor(std::unique_ptr<RocksCursor> cursor, size_t rows, const RangeKey& range,
                  RowCache::RangeTicket ticket, RowCache* cache, AddCollection add_collection)
      : cursor_(std::move(cursor)),
        rows_(rows),
        range_(range),
        ticket_(ticket),
        cache_(cache),
        add_collection_(std::move(add_collection)) {}
  ~RecordingCursor() override;

  bool SeekToStart() override;
  bool SeekAfter(std::string_view key) override;
  bool Next() override { return Arrive(cursor_->Next()); }
  absl::Status status() const override { return cursor_->status(); }

 private:
  bool Arrive(bool is_there);

  const std::unique_ptr<RocksCursor> cursor_;
  const size_t rows_;
  const RangeKey range_;
  const RowCache::RangeTicket ticket_;
  RowCache* const cache_;
  const AddCollection add_collection_;
  // RocksDB counts for the thread, unless somebody told it not to (rocksdb::SetPerfLevel). If the
  // cursor goes to another thread, the difference is anything.
  const uint64_t skipped_before_ = rocksdb::get_perf_context()->internal_key_skipped_count;
  uint64_t walked_ = 0;
  std::optional<RangeRecorder> recorder_;  // nullopt: what is walked is not for the cache
  bool is_whole_ = false;
};

// What RocksDB 7.8, Debian 12's, and 11.8 spell differently.
//
// What a function of RocksDB's that opens a database gives.
#if ROCKSDB_MAJOR >= 10
using OpenedDatabase = std::unique_ptr<rocksdb::DB>;
#else
using OpenedDatabase = rocksdb::DB*;
#endif

// kFollow: it is read only, and takes over what its writer has committed since when it is told to.
enum class RocksUse : uint8_t { kWrite, kRead, kFollow };

inline rocksdb::Status OpenRocks(const rocksdb::DBOptions& options, const std::string& path,
                                 const std::vector<rocksdb::ColumnFamilyDescriptor>& families,
                                 RocksUse use, std::vector<rocksdb::ColumnFamilyHandle*>* handles,
                                 std::unique_ptr<rocksdb::DB>* db) {
  OpenedDatabase opened{};
  rocksdb::Status status;
  switch (use) {
    case RocksUse::kWrite:
      status = rocksdb::DB::Open(options, path, families, handles, &opened);
      break;
    case RocksUse::kRead:
      status = rocksdb::DB::OpenForReadOnly(options, path, families, handles, &opened);
      break;
    case RocksUse::kFollow:
      // The second folder would be for the info log, if there was one.
      status = rocksdb::DB::OpenAsSecondary(options, path, path, families, handles, &opened);
      break;
  }
#if ROCKSDB_MAJOR >= 10
  *db = std::move(opened);
#else
  db->reset(opened);
#endif
  return status;
}

// Two faults of 7.8 that 11.8 has not. When an iterator that heeds range deletions moves to another
// file whose first block is damaged, it goes on behind it without a word (facebook/rocksdb#11783).
inline constexpr bool kSkipsDamagedBlocks = ROCKSDB_MAJOR < 10;
// Once a database has stopped for lack of room, it keeps believing that it has.
inline constexpr bool kStaysStopped = ROCKSDB_MAJOR < 10;

// Ends one DisableFileDeletions.
inline rocksdb::Status EnableFileDeletions(rocksdb::DB* db) {
#if ROCKSDB_MAJOR >= 10
  return db->EnableFileDeletions();
#else
  return db->EnableFileDeletions(/*force=*/false);
#endif
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ROCKS_TYPES_H_
