#include "engine/store/room/room.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/time/clock.h"

namespace dynolith {
namespace {

constexpr uint64_t kMegabyte = 1 << 20;
// The disk is asked again when this part of what puts may have is written, within these bounds.
constexpr uint64_t kPartBetweenLooks = 4;
constexpr uint64_t kBetweenLooksMin = 64 << 10;
constexpr uint64_t kBetweenLooksMax = 4 * kMegabyte;
constexpr uint64_t kWriteBuffersReserved = 3;
constexpr uint64_t kPartOfDisk = 8;
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

bool Room::Look() {
  const uint64_t free_bytes = FreeBytes();
  const bool is_low = free_bytes < reserved_bytes_;
  is_low_ = is_low;
  const uint64_t left = is_low ? 0 : free_bytes - reserved_bytes_;
  left_before_look_ = is_low ? 0
                             : static_cast<int64_t>(std::clamp(left / kPartBetweenLooks,
                                                               kBetweenLooksMin, kBetweenLooksMax));
  return !is_low;
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

uint64_t ReservedBytes(const std::string& folder, uint64_t write_buffer_bytes) {
  const uint64_t wanted = kWriteBuffersReserved * write_buffer_bytes + kMegabyte;
  struct statvfs disk = {};
  if (statvfs(folder.c_str(), &disk) != 0) return wanted;
  return std::min<uint64_t>(wanted, uint64_t{disk.f_blocks} * disk.f_frsize / kPartOfDisk);
}

}  // namespace dynolith
