// The room on a store's disk, and who may have the last of it: puts are refused while some is left,
// so that what was acknowledged can be flushed, and what is deleted can make room again. Private to
// engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_ROOM_ROOM_H_
#define DYNOLITH_ENGINE_STORE_ROOM_ROOM_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
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
  // again when a part of what was free has been written.
  bool HasRoomForPuts(size_t bytes) ABSL_LOCKS_EXCLUDED(mutex_) {
    if (reserved_bytes_ == 0) return true;
    const auto taken = static_cast<int64_t>(bytes);
    return left_before_look_.fetch_sub(taken, std::memory_order_relaxed) >= taken || Look();
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
  bool Look();

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

// What puts leave of the disk that `folder` is on: what the memtables hold may have to be written
// to it while logs are still there. A small disk keeps a part of itself.
uint64_t ReservedBytes(const std::string& folder, uint64_t write_buffer_bytes);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ROOM_ROOM_H_
