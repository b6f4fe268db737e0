// Lets flushes and compactions drop the rows of dead ids. Private to engine/store: includes
// RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_DEAD_ROW_FILTER_H_
#define DYNOLITH_ENGINE_STORE_DEAD_ROW_FILTER_H_

#include <cstddef>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "engine/store/local_store.h"
#include "engine/store/row_id.h"
#include "rocksdb/compaction_filter.h"

namespace dynolith {

// The ids that are alive, at one moment.
struct LiveIds {
  std::shared_ptr<const LocalStore::IdIsAlive> is_alive;  // nullptr: all
  uint32_t next_id = 0;
};

// For families whose keys have the id at `id_at`. Thread-safe.
class DeadRowFilterFactory final : public rocksdb::CompactionFilterFactory {
 public:
  explicit DeadRowFilterFactory(size_t id_at) : id_at_(id_at) {}

  void Publish(LiveIds live) ABSL_LOCKS_EXCLUDED(mutex_);

  const char* Name() const override { return "dynolith.DeadRowFilterFactory"; }
  bool ShouldFilterTableFileCreation(rocksdb::TableFileCreationReason reason) const override;
  // nullptr as long as all ids are alive.
  std::unique_ptr<rocksdb::CompactionFilter> CreateCompactionFilter(
      const rocksdb::CompactionFilter::Context& context) override;

 private:
  const size_t id_at_;
  absl::Mutex mutex_;
  LiveIds live_ ABSL_GUARDED_BY(mutex_);
};

// Those of one store.
class DeadRowFilters {
 public:
  // nullptr for a family whose rows outlive the ids of tables.
  std::shared_ptr<DeadRowFilterFactory> Of(Family family) const;
  void Publish(const LiveIds& live);

 private:
  const std::shared_ptr<DeadRowFilterFactory> id_in_front_ =
      std::make_shared<DeadRowFilterFactory>(0);
  const std::shared_ptr<DeadRowFilterFactory> id_behind_time_ =
      std::make_shared<DeadRowFilterFactory>(kExpiryRowIdAt);
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_DEAD_ROW_FILTER_H_
