// Reclaims the space of dropped tables, in the background. Private to engine/store: includes
// RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_RECLAIMER_H_
#define DYNOLITH_ENGINE_STORE_RECLAIMER_H_

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/process/background_work.h"
#include "engine/store/dead_row_filter.h"
#include "engine/store/rocks_types.h"

namespace dynolith {

// A row may be destroyed only when the commit that made its id die is on the disk: otherwise a
// power loss could bring the table back without its rows. So each round syncs the log first, then
// publishes the dead ids, then deletes whole files. A round takes all requests so far. Thread-safe.
class Reclaimer {
 public:
  // `db`, `filters` and `threads` must outlive the reclaimer, and what `sync_log` uses. `sync_log`
  // returns an error where the log cannot be synced, and that round ends.
  // `resuming_mutex` is RoomRecovery's.
  Reclaimer(rocksdb::DB* db, const FamilyHandles& families, std::string_view folder,
            std::function<absl::Status()> sync_log, DeadRowFilters* filters,
            BackgroundThreads* threads, absl::Mutex* resuming_mutex);
  Reclaimer(const Reclaimer&) = delete;
  Reclaimer& operator=(const Reclaimer&) = delete;
  // Finishes the running round and drops the rest: the next start publishes it again.
  ~Reclaimer() = default;

  void Publish(LiveIds live) ABSL_LOCKS_EXCLUDED(mutex_);
  void Reclaim(Family family, uint32_t id) ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits until all requests are done. The first failure since the last Drain.
  absl::Status Drain() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Round {
    std::optional<LiveIds> live;
    std::array<std::vector<uint32_t>, kFamilies> dead;
    bool empty = true;
  };
  absl::Duration DoRound() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Perform(Round* round);
  absl::Status DeleteFiles(size_t family, std::vector<uint32_t>* ids);

  rocksdb::DB* const db_;
  const FamilyHandles families_;
  const std::string_view folder_;
  const std::function<absl::Status()> sync_log_;
  DeadRowFilters* const filters_;
  absl::Mutex* const resuming_mutex_;

  absl::Mutex mutex_;
  Round next_ ABSL_GUARDED_BY(mutex_);
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  Round under_way_;  // of DoRound; kept if it throws, and retried
  // Last: it ends before what its work uses.
  BackgroundWork work_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_RECLAIMER_H_
