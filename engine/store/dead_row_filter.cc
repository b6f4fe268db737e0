#include "engine/store/dead_row_filter.h"

#include <utility>

#include "engine/store/row_id.h"
#include "rocksdb/slice.h"

namespace dynolith {
namespace {

// Used by one flush or compaction thread. Rows come in key order, so that each id is asked for
// once.
class DeadRowFilter final : public rocksdb::CompactionFilter {
 public:
  explicit DeadRowFilter(LiveIds live) : live_(std::move(live)) {}

  const char* Name() const override { return "dynolith.DeadRowFilter"; }

  bool Filter(int /*level*/, const rocksdb::Slice& key, const rocksdb::Slice& /*value*/,
              std::string* /*new_value*/, bool* /*value_changed*/) const override {
    if (key.size() < kRowIdBytes) return false;
    const uint32_t id = RowIdOf({key.data(), key.size()});
    if (!asked_ || id != last_id_) {
      asked_ = true;
      last_id_ = id;
      last_is_dead_ = id < live_.next_id && !(*live_.is_alive)(id);
    }
    return last_is_dead_;
  }

 private:
  const LiveIds live_;
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
  return std::make_unique<DeadRowFilter>(std::move(live));
}

}  // namespace dynolith
