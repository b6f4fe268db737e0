#include "tools/server/cloudwatch/minute_store.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

namespace dynolith::cloudwatch {
namespace {

// By which the oldest are forgotten when there is no room: a pass over all series each time.
constexpr Minute kDroppedAtOnce = 60;
// Of an entry of a map, beside its value.
constexpr size_t kNodeBytes = 48;

size_t BytesOf(const Statistic& statistic) { return kNodeBytes + statistic.bytes(); }
size_t BytesOf(const Series& series) {
  return kNodeBytes + sizeof(Series) + series.table.size() + series.index.size() +
         series.operation.size() + series.stream_label.size();
}

}  // namespace

void MinuteStore::Count(size_t before, size_t after) {
  bytes_ += after - before;
  options_.memory->bytes += after - before;
}

void MinuteStore::Add(const Series& series, Minute minute, const Statistic& statistic) {
  absl::MutexLock lock(&mutex_);
  if (minute - options_.minutes_max >= first_ + kDroppedAtOnce) {
    DropBefore(minute - options_.minutes_max + 1);
  }
  if (minute < first_) return;
  // What it may need at most.
  const size_t more = BytesOf(series) + BytesOf(statistic);
  Count(0, more);
  const bool has_room = MakeRoom(minute);
  Count(more, 0);
  if (!has_room) return;
  const auto [at, is_new_series] = series_.try_emplace(series);
  if (is_new_series) Count(0, BytesOf(series));
  const auto [sums, is_new] = at->second.try_emplace(minute);
  const size_t before = is_new ? 0 : BytesOf(sums->second);
  sums->second.Merge(statistic);
  Count(before, BytesOf(sums->second));
}

bool MinuteStore::MakeRoom(Minute minute) {
  const MemoryShare& memory = *options_.memory;
  while (memory.bytes > memory.bytes_max) {
    if (series_.empty()) return false;
    const Minute oldest = FindOldest();
    if (oldest >= minute) return false;
    DropBefore(std::min(oldest + kDroppedAtOnce, minute));
  }
  return true;
}

Minute MinuteStore::FindOldest() const {
  Minute oldest = std::numeric_limits<Minute>::max();
  for (const auto& [_, minutes] : series_) oldest = std::min(oldest, minutes.begin()->first);
  return oldest;
}

std::map<Series, MinuteStore::Minutes>::iterator MinuteStore::Erase(
    std::map<Series, Minutes>::iterator series, Minutes::iterator begin, Minutes::iterator end) {
  for (auto it = begin; it != end; ++it) Count(BytesOf(it->second), 0);
  series->second.erase(begin, end);
  if (!series->second.empty()) return std::next(series);
  Count(BytesOf(series->first), 0);
  return series_.erase(series);
}

void MinuteStore::DropBefore(Minute minute) {
  first_ = std::max(first_, minute);
  for (auto it = series_.begin(); it != series_.end();) {
    it = Erase(it, it->second.begin(), it->second.lower_bound(minute));
  }
}

void MinuteStore::DropFrom(Minute minute) {
  absl::MutexLock lock(&mutex_);
  first_ = std::min(first_, std::max<Minute>(0, minute - options_.minutes_max));
  for (auto it = series_.begin(); it != series_.end();) {
    it = Erase(it, it->second.lower_bound(minute), it->second.end());
  }
}

void MinuteStore::DropOlderHalf() {
  absl::MutexLock lock(&mutex_);
  if (series_.empty()) return;
  Minute latest = std::numeric_limits<Minute>::min();
  for (const auto& [_, minutes] : series_) latest = std::max(latest, minutes.rbegin()->first);
  DropBefore(std::midpoint(FindOldest(), latest) + 1);
}

std::vector<std::pair<Minute, Statistic>> MinuteStore::Read(const Series& series, Minute begin,
                                                            Minute end) const {
  std::vector<std::pair<Minute, Statistic>> found;
  absl::MutexLock lock(&mutex_);
  const auto at = series_.find(series);
  if (at == series_.end()) return found;
  for (auto it = at->second.lower_bound(begin); it != at->second.end() && it->first < end; ++it) {
    found.emplace_back(it->first, it->second);
  }
  return found;
}

std::vector<Series> MinuteStore::List(Minute begin, Minute end) const {
  std::vector<Series> found;
  absl::MutexLock lock(&mutex_);
  for (const auto& [series, minutes] : series_) {
    const auto it = minutes.lower_bound(begin);
    if (it != minutes.end() && it->first < end) found.push_back(series);
  }
  return found;
}

size_t MinuteStore::bytes() const {
  absl::MutexLock lock(&mutex_);
  return bytes_;
}

}  // namespace dynolith::cloudwatch
