// The room on a store's disk, and who may have the last of it: puts are refused while some is left,
// so that what was acknowledged can be flushed, and what is deleted can make room again. Private to
// engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_ROOM_ROOM_H_
#define DYNOLITH_ENGINE_STORE_ROOM_ROOM_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "rocksdb/file_system.h"

namespace dynolith {

// Thread-safe. Whoever asks is told what the disk says now; nothing is set aside on it, so another
// program may take what is kept here.
class Room {
 public:
  // `reserved_bytes`: what puts leave; 0: they take all there is. `write_buffer_bytes`: what a
  // flush takes.
  Room(std::shared_ptr<rocksdb::FileSystem> disk, std::string folder, uint64_t reserved_bytes,
       uint64_t write_buffer_bytes);

  uint64_t reserved_bytes() const { return reserved_bytes_; }
  // As much as there can be, if the disk does not say.
  uint64_t FreeBytes() const;

  // Whether `bytes` more of puts may be written. Nearly always a subtraction: the disk is asked
  // again when a part of what was free has been written. `unflushed_bytes`: what is in memory,
  // which has to fit on the disk beside its logs.
  bool HasRoomForPuts(size_t bytes, absl::FunctionRef<uint64_t()> unflushed_bytes) {
    if (reserved_bytes_ == 0) return true;
    const auto taken = static_cast<int64_t>(bytes);
    return left_before_look_.fetch_sub(taken, std::memory_order_relaxed) >= taken ||
           Look(bytes, unflushed_bytes());
  }
  // What has to be free for so many bytes of puts: they are written to the log, and then flushed.
  uint64_t NeededForPuts(size_t bytes, uint64_t unflushed_bytes) const {
    return std::max(reserved_bytes_ + bytes, unflushed_bytes + 2 * bytes);
  }

  // Table files that are made of other ones leave more than what puts leave as long as puts have
  // room, and what a flush takes when they have none: a compaction is what makes room of deletions.
  uint64_t LeftByCompactions() const;
  // One such file was refused, which was begun when `free_bytes_at_begin` were free. What it and
  // those like it would write again in vain waits, longer each time, or for more room.
  void NoteRefused(uint64_t free_bytes_at_begin) ABSL_LOCKS_EXCLUDED(mutex_);
  bool IsWorthwhile(uint64_t free_bytes_at_begin) const ABSL_LOCKS_EXCLUDED(mutex_);
  void NoteCompacted() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // Asks the disk. False: puts have to wait.
  bool Look(size_t bytes, uint64_t unflushed_bytes);

  const std::shared_ptr<rocksdb::FileSystem> disk_;
  const std::string folder_;
  const uint64_t reserved_bytes_;
  const uint64_t flush_bytes_;
  std::atomic<int64_t> left_before_look_ = 0;
  std::atomic<bool> is_low_ = false;
  mutable absl::Mutex mutex_;
  uint64_t refused_at_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Duration pause_ ABSL_GUARDED_BY(mutex_) = absl::ZeroDuration();
  absl::Time refused_until_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

// How the disk is divided that `folder` is on.
struct DiskShares {
  uint64_t write_buffer_bytes = 0;
  uint64_t log_bytes = 0;       // of all logs that are not being flushed
  uint64_t reserved_bytes = 0;  // what puts leave
};
// What the memtables hold may have to be written to the disk while logs are still there, so of a
// small one write buffers and logs take so little that an eighth of it is enough to be left.
DiskShares SharesOfDisk(const std::string& folder, uint64_t write_buffer_bytes, uint64_t log_bytes);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ROOM_ROOM_H_
