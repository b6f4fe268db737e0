// Makes table files of compactions and of bulk loads leave room for logs and flushes, which cannot
// wait. Private to engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_ROOM_ROOM_FILE_SYSTEM_H_
#define DYNOLITH_ENGINE_STORE_ROOM_ROOM_FILE_SYSTEM_H_

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "engine/store/room/room.h"
#include "rocksdb/file_system.h"

namespace dynolith {

// Thread-safe.
class RoomFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  // `sorted_folder`: of sorted files. `room` must outlive all files.
  RoomFileSystem(const std::shared_ptr<rocksdb::FileSystem>& target, std::shared_ptr<Room> room,
                 std::string sorted_folder)
      : FileSystemWrapper(target),
        room_(std::move(room)),
        sorted_folder_(std::move(sorted_folder)) {}

  const char* Name() const override { return "dynolith.RoomFileSystem"; }

  // Whether the next file belongs to a compaction.
  void Announce(const std::string& file, bool is_compaction) ABSL_LOCKS_EXCLUDED(mutex_);

  // Files that are refused, as on a full disk, when they would take the room that must be left,
  // except the first megabyte of each. Others are the target's.
  rocksdb::IOStatus NewWritableFile(const std::string& file, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override;

 private:
  const std::shared_ptr<Room> room_;
  const std::string sorted_folder_;
  absl::Mutex mutex_;
  std::set<std::string> compactions_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ROOM_ROOM_FILE_SYSTEM_H_
