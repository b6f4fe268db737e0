#include "engine/store/dead_row_filter.h"

#include <utility>

#include "rocksdb/slice.h"

namespace dynolith {
namespace {

// Used by one flush or compaction thread. Where the id is in front, rows come in its order, so that
// each id is asked for once.
class DeadRowFilter final : public rocksdb::CompactionFilter {
 public:
  DeadRowFilter(LiveIds live, size_t id_at) : live_(std::move(live)), id_at_(id_at) {}

  const char* Name() const override { return "dynolith.DeadRowFilter"; }

  bool Filter(int /*level*/, const rocksdb::Slice& key, const rocksdb::Slice& /*value*/,
              std::string* /*new_value*/, bool* /*value_changed*/) const override {
    if (key.size() < id_at_ + kRowIdBytes) return false;
    const uint32_t id = RowIdFromKey({key.data() + id_at_, key.size() - id_at_});
    if (!asked_ || id != last_id_) {
      asked_ = true;
      last_id_ = id;
      last_is_dead_ = id < live_.next_id && !(*live_.is_alive)(id);
    }
    return last_is_dead_;
  }

 private:
  const LiveIds live_;
  const size_t id_at_;
  mutable bool asked_ = false;
  mutable uint32_t last_id_ = 0;
  mutable bool last_is_dead_ = false;
};

}  // namespace

void DeadRowFilterFactory::Publish(LiveIds live) {
  absl::MutexLock lock(&mutex_);
  live_ = std::move(live);
}

bool DeadRowFilterFactory::ShouldFilterTableFileCreation(
    rocksdb::TableFileCreationReason reason) const {
  return reason == rocksdb::TableFileCreationReason::kCompaction ||
         reason == rocksdb::TableFileCreationReason::kFlush;
}

std::unique_ptr<rocksdb::CompactionFilter> DeadRowFilterFactory::CreateCompactionFilter(
    const rocksdb::CompactionFilter::Context&) {
  LiveIds live;
  {
    absl::MutexLock lock(&mutex_);
    live = live_;
  }
  if (live.is_alive == nullptr) return nullptr;
  return std::make_unique<DeadRowFilter>(std::move(live), id_at_);
}

std::shared_ptr<DeadRowFilterFactory> DeadRowFilters::Of(Family family) const {
  switch (family) {
    case Family::kTables:
    case Family::kGlobalIndexes:
    case Family::kLocalIndexes:
      return id_in_front_;
    case Family::kExpiry:
      return id_behind_time_;
    case Family::kMeta:
    case Family::kLog:
      break;
  }
  return nullptr;
}

void DeadRowFilters::Publish(const LiveIds& live) {
  id_in_front_->Publish(live);
  id_behind_time_->Publish(live);
}

}  // namespace dynolith
