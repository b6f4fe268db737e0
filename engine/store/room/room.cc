#include "engine/store/room/room.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/time/clock.h"

namespace dynolith {
namespace {

constexpr uint64_t kMegabyte = 1 << 20;
// The free bytes are read again after puts have written this part of what they may use, within
// these bounds.
constexpr uint64_t kPartBetweenLooks = 4;
constexpr uint64_t kBetweenLooksMin = 64 << 10;
constexpr uint64_t kBetweenLooksMax = 4 * kMegabyte;
constexpr uint64_t kWriteBuffersReserved = 3;
constexpr uint64_t kPartOfDisk = 8;
constexpr uint64_t kWriteBuffersOfDisk = 32;
constexpr uint64_t kLogWriteBuffers = 2;
constexpr uint64_t kWriteBufferBytesMin = 64 << 10;
constexpr absl::Duration kPauseMin = absl::Seconds(1);
constexpr absl::Duration kPauseMax = absl::Minutes(1);

}  // namespace

Room::Room(std::shared_ptr<rocksdb::FileSystem> disk, std::string folder, uint64_t reserved_bytes,
           uint64_t write_buffer_bytes)
    : disk_(std::move(disk)),
      folder_(std::move(folder)),
      reserved_bytes_(reserved_bytes),
      flush_bytes_(std::min(reserved_bytes, write_buffer_bytes + kMegabyte)) {}

uint64_t Room::FreeBytes() const {
  uint64_t bytes = 0;
  const rocksdb::IOStatus status =
      disk_->GetFreeSpace(folder_, rocksdb::IOOptions(), &bytes, nullptr);
  return status.ok() ? bytes : std::numeric_limits<uint64_t>::max();
}

bool Room::Look(size_t bytes, uint64_t unflushed_bytes) {
  const uint64_t free_bytes = FreeBytes();
  is_low_ = free_bytes < NeededForPuts(0, unflushed_bytes);
  if (free_bytes < NeededForPuts(bytes, unflushed_bytes)) {
    left_before_look_ = 0;
    return false;
  }
  const uint64_t left = free_bytes - NeededForPuts(bytes, unflushed_bytes);
  left_before_look_ = static_cast<int64_t>(
      std::clamp(left / kPartBetweenLooks, kBetweenLooksMin, kBetweenLooksMax));
  return true;
}

uint64_t Room::LeftByCompactions() const { return is_low_ ? flush_bytes_ : reserved_bytes_; }

void Room::NoteRefused(uint64_t free_bytes_at_begin) {
  absl::MutexLock lock(&mutex_);
  pause_ = std::clamp(2 * pause_, kPauseMin, kPauseMax);
  refused_at_bytes_ = free_bytes_at_begin;
  refused_until_ = absl::Now() + pause_;
}

bool Room::IsWorthwhile(uint64_t free_bytes_at_begin) const {
  absl::MutexLock lock(&mutex_);
  return free_bytes_at_begin >= refused_at_bytes_ + kMegabyte || absl::Now() >= refused_until_;
}

void Room::NoteCompacted() {
  absl::MutexLock lock(&mutex_);
  pause_ = absl::ZeroDuration();
  refused_until_ = absl::InfinitePast();
}

DiskShares SharesOfDisk(const std::string& folder, uint64_t write_buffer_bytes,
                        uint64_t log_bytes) {
  struct statvfs disk = {};
  const bool is_known = statvfs(folder.c_str(), &disk) == 0;
  const uint64_t bytes =
      is_known ? uint64_t{disk.f_blocks} * disk.f_frsize : std::numeric_limits<uint64_t>::max();
  const uint64_t part = std::max(bytes / kWriteBuffersOfDisk, kWriteBufferBytesMin);
  DiskShares shares;
  shares.write_buffer_bytes = std::min(write_buffer_bytes, part);
  shares.log_bytes = std::min(log_bytes, kLogWriteBuffers * part);
  const uint64_t wanted = kWriteBuffersReserved * shares.write_buffer_bytes + kMegabyte;
  shares.reserved_bytes = std::min(wanted, bytes / kPartOfDisk);
  return shares;
}

}  // namespace dynolith
