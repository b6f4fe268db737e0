// The room on a store's disk, and which writes may use the reserve: puts are refused while some
// room is left, so that acknowledged writes can be flushed, and deletions can make room again.
// Private to engine/store: includes RocksDB.
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

// Thread-safe. Reports the disk's present state; nothing is allocated on it, so another program may
// take the reserve.
class Room {
 public:
  // `reserved_bytes`: the room that puts leave; 0: none. `write_buffer_bytes`: the size of a flush.
  Room(std::shared_ptr<rocksdb::FileSystem> disk, std::string folder, uint64_t reserved_bytes,
       uint64_t write_buffer_bytes);

  uint64_t reserved_bytes() const { return reserved_bytes_; }
  // The largest possible number, if the disk does not say.
  uint64_t FreeBytes() const;

  // Whether `bytes` more of puts may be written. Nearly always a subtraction: the disk is asked
  // again when a part of the free room has been written. `unflushed_bytes`: the memory that has to
  // fit on the disk beside its logs.
  bool HasRoomForPuts(size_t bytes, absl::FunctionRef<uint64_t()> unflushed_bytes) {
    if (reserved_bytes_ == 0) return true;
    const auto taken = static_cast<int64_t>(bytes);
    return left_before_look_.fetch_sub(taken, std::memory_order_relaxed) >= taken ||
           Look(bytes, unflushed_bytes());
  }
  // The free room needed for so many bytes of puts: they are written to the log, and then flushed.
  uint64_t NeededForPuts(size_t bytes, uint64_t unflushed_bytes) const {
    return std::max(reserved_bytes_ + bytes, unflushed_bytes + 2 * bytes);
  }

  // Table files made from other ones leave more than puts do while puts have room, and the size of
  // a flush when they have none: compactions turn deletions into room.
  uint64_t LeftByCompactions() const;
  // One such file was refused, which was begun when `free_bytes_at_begin` were free. It and others
  // like it would be written in vain again, so they wait, longer each time, or for more room.
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

// The division of the disk of `folder`.
struct DiskShares {
  uint64_t write_buffer_bytes = 0;
  uint64_t log_bytes = 0;       // of all logs that are not being flushed
  uint64_t reserved_bytes = 0;  // the room that puts leave
};
// The memtables may have to be flushed while logs still exist. So on a small disk write buffers and
// logs are small enough for an eighth of it to suffice as reserve.
DiskShares SharesOfDisk(const std::string& folder, uint64_t write_buffer_bytes, uint64_t log_bytes);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ROOM_ROOM_H_
