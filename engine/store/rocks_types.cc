#include "engine/store/rocks_types.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "engine/base/errno_status.h"
#include "engine/base/messages.h"
#include "engine/base/strings.h"
#include "engine/process/memory_reserve.h"
#include "engine/store/messages.h"

namespace dynolith {
namespace {

// Versions that a walk passes for each row it shows: RocksDB passes eight before it seeks.
constexpr uint64_t kVersionsOfCostlyRow = 4;

}  // namespace

absl::Status FromRocksFailure(std::string_view folder, const rocksdb::Status& status) {
  const std::string detail = status.ToString();
  // RocksDB may report it in any form, for example as unsuitable options.
  if (detail.ends_with(ErrnoReason(EMFILE))) {
    return absl::InternalError(ToAbsl(messages::StoreWithoutFiles(folder, detail)));
  }
  if (status.IsMemoryLimit()) return absl::ResourceExhaustedError(messages::NotEnoughMemory());
  if (status.IsCorruption()) {
    return absl::DataLossError(ToAbsl(messages::StoreDamaged(folder, detail)));
  }
  // Only LogFileSystem returns Busy, since no call here asks not to wait.
  if (status.IsNoSpace() || status.IsBusy()) {
    return absl::ResourceExhaustedError(ToAbsl(messages::StoreFull(folder, detail)));
  }
  if (status.IsNotSupported() || status.IsInvalidArgument()) {
    return absl::FailedPreconditionError(ToAbsl(messages::StoreRefused(folder, detail)));
  }
  return absl::InternalError(ToAbsl(messages::StoreFailed(folder, detail)));
}

RocksCursor::RocksCursor(std::string_view folder, std::string_view begin, std::string_view end,
                         Direction direction)
    : folder_(folder), direction_(direction), has_end_(!end.empty()) {
  bounds_.resize(begin.size() + end.size());
  std::copy(begin.begin(), begin.end(), bounds_.begin());
  std::copy(end.begin(), end.end(), bounds_.begin() + static_cast<ptrdiff_t>(begin.size()));
  begin_ = rocksdb::Slice(bounds_.data(), begin.size());
  end_ = rocksdb::Slice(bounds_.data() + begin.size(), end.size());
  // RocksDB requires lower <= upper; a reversed range is empty.
  if (has_end_ && end_.compare(begin_) < 0) end_ = begin_;
}

void RocksCursor::Open(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family,
                       rocksdb::ReadOptions reading) {
  reading.iterate_lower_bound = &begin_;
  if (has_end_) reading.iterate_upper_bound = &end_;
  if (!MemoryReserve::IsThere()) {
    iterator_.reset(rocksdb::NewErrorIterator(rocksdb::Status::MemoryLimit()));
    return;
  }
  const MemoryReserve::Scope reserve(MemoryReserve::User::kCall);
  iterator_.reset(db->NewIterator(reading, family));
}

RocksCursor::~RocksCursor() {
  const MemoryReserve::Scope reserve(MemoryReserve::User::kCall);
  iterator_.reset();
}

bool RocksCursor::SeekToStart() {
  const MemoryReserve::Scope reserve(MemoryReserve::User::kCall);
  if (direction_ == Direction::kBackward) {
    iterator_->SeekToLast();
  } else {
    iterator_->Seek(begin_);
  }
  return Arrive();
}

bool RocksCursor::SeekAfter(std::string_view after) {
  const MemoryReserve::Scope reserve(MemoryReserve::User::kCall);
  const rocksdb::Slice at = ToSlice(after);
  if (direction_ == Direction::kBackward) {
    if (has_end_ && at.compare(end_) >= 0) return SeekToStart();
    iterator_->SeekForPrev(at);
    if (iterator_->Valid() && iterator_->key() == at) iterator_->Prev();
  } else {
    if (at.compare(begin_) < 0) return SeekToStart();
    iterator_->Seek(at);
    if (iterator_->Valid() && iterator_->key() == at) iterator_->Next();
  }
  return Arrive();
}

bool RocksCursor::Next() {
  const MemoryReserve::Scope reserve(MemoryReserve::User::kCall);
  if (direction_ == Direction::kBackward) {
    iterator_->Prev();
  } else {
    iterator_->Next();
  }
  return Arrive();
}

bool RocksCursor::Arrive() {
  if (!iterator_->Valid()) return false;
  key = FromSlice(iterator_->key());
  value = FromSlice(iterator_->value());
  return true;
}

absl::Status RocksCursor::status() const { return FromRocks(folder_, iterator_->status()); }

bool CachedCursor::SeekToStart() {
  others_.reset();
  rows_ = CachedRange(held_.value());
  return Next();
}

bool CachedCursor::SeekAfter(std::string_view after) {
  if (!rows_.is_whole()) return GoOnAfter(after);
  const auto is_behind = [this, after] { return range_.is_backward() ? key < after : key > after; };
  bool is_there = SeekToStart();
  while (is_there && !is_behind()) is_there = Next();
  return is_there;
}

bool CachedCursor::Next() {
  if (others_ != nullptr) return ShowOther(others_->Next());
  if (!rows_.Next()) return !rows_.is_whole() && GoOnAfter(key);
  key = rows_.key();
  value = rows_.value();
  return true;
}

bool CachedCursor::GoOnAfter(std::string_view after) {
  std::unique_ptr<RocksCursor> others = open_(range_);
  const bool is_there = others->SeekAfter(after);
  others_ = std::move(others);
  return ShowOther(is_there);
}

bool CachedCursor::ShowOther(bool is_there) {
  if (!is_there) return false;
  key = others_->key;
  value = others_->value;
  return true;
}

RecordingCursor::~RecordingCursor() {
  const uint64_t skipped =
      rocksdb::get_perf_context()->internal_key_skipped_count - skipped_before_;
  if (skipped >= kVersionsOfCostlyRow * std::max<uint64_t>(walked_, 1)) {
    const RangeKey whole = range_.WholeCollection();
    if (cache_->WantsCollection(whole)) add_collection_(whole);
  }
  // Absent rows are not cached, nor is a range without any.
  if (!recorder_ || recorder_->rows() == 0) return;
  if (!is_whole_ && (rows_ == 0 || recorder_->rows() < rows_)) return;
  cache_->AddRange(ticket_, range_, recorder_->Finish(ticket_.state, is_whole_));
}

bool RecordingCursor::SeekToStart() {
  if (ticket_.may_add) recorder_.emplace();
  is_whole_ = false;
  return Arrive(cursor_->SeekToStart());
}

bool RecordingCursor::SeekAfter(std::string_view after) {
  recorder_.reset();
  return Arrive(cursor_->SeekAfter(after));
}

bool RecordingCursor::Arrive(bool is_there) {
  if (is_there) {
    ++walked_;
    key = cursor_->key;
    value = cursor_->value;
    if (recorder_ && !recorder_->Add(key, value)) recorder_.reset();
  } else if (recorder_) {
    is_whole_ = cursor_->status().ok();
    if (!is_whole_) recorder_.reset();
  }
  return is_there;
}

}  // namespace dynolith
