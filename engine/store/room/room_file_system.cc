#include "engine/store/room/room_file_system.h"

#include <cstdint>

namespace dynolith {
namespace {

// Smaller files are never refused: RocksDB asserts if a compaction cannot write a file that
// contains only range deletions (engine/store/README.md), and flushes write small files.
constexpr uint64_t kFreeOfLooks = 1 << 20;
constexpr uint64_t kBytesBetweenLooks = 1 << 20;

class RoomFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  RoomFile(std::unique_ptr<rocksdb::FSWritableFile> file, std::string name,
           std::shared_ptr<Room> room, bool is_compaction)
      : FSWritableFileOwnerWrapper(std::move(file)),
        name_(std::move(name)),
        room_(std::move(room)),
        is_compaction_(is_compaction),
        free_at_begin_(room_->FreeBytes()) {}

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = Look(data.size());
    return status.ok() ? FSWritableFileOwnerWrapper::Append(data, options, debug) : status;
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo& verification,
                           rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = Look(data.size());
    return status.ok() ? FSWritableFileOwnerWrapper::Append(data, options, verification, debug)
                       : status;
  }

 private:
  rocksdb::IOStatus Look(size_t bytes) {
    bytes_ += bytes;
    if (bytes_ < next_look_) return rocksdb::IOStatus::OK();
    next_look_ = bytes_ + kBytesBetweenLooks;
    const uint64_t left = is_compaction_ ? room_->LeftByCompactions() : room_->reserved_bytes();
    const bool has_room = room_->FreeBytes() >= left + bytes;
    if (has_room && (!is_compaction_ || room_->IsWorthwhile(free_at_begin_))) {
      return rocksdb::IOStatus::OK();
    }
    if (is_compaction_ && !has_room) room_->NoteRefused(free_at_begin_);
    // The next append is checked, too: behind the refused one it would leave a hole.
    next_look_ = 0;
    rocksdb::IOStatus full = rocksdb::IOStatus::NoSpace(name_, "the rest is kept for deletions");
    full.SetRetryable(true);
    return full;
  }

  const std::string name_;
  const std::shared_ptr<Room> room_;
  const bool is_compaction_;
  const uint64_t free_at_begin_;
  uint64_t bytes_ = 0;
  uint64_t next_look_ = kFreeOfLooks;
};

}  // namespace

void RoomFileSystem::Announce(const std::string& file, bool is_compaction) {
  absl::MutexLock lock(&mutex_);
  if (is_compaction) {
    compactions_.insert(file);
  } else {
    compactions_.erase(file);
  }
}

rocksdb::IOStatus RoomFileSystem::NewWritableFile(const std::string& file,
                                                  const rocksdb::FileOptions& options,
                                                  std::unique_ptr<rocksdb::FSWritableFile>* result,
                                                  rocksdb::IODebugContext* debug) {
  bool is_compaction = false;
  {
    absl::MutexLock lock(&mutex_);
    is_compaction = compactions_.erase(file) > 0;
  }
  rocksdb::IOStatus status = target()->NewWritableFile(file, options, result, debug);
  if (status.ok() && (is_compaction || file.starts_with(sorted_folder_))) {
    *result = std::make_unique<RoomFile>(std::move(*result), file, room_, is_compaction);
  }
  return status;
}

}  // namespace dynolith
