// Keeps range reads of frequently overwritten rows cheap: their old versions lie in the memtable
// and in each file of level 0, and a range read passes all of them. Private to engine/store:
// includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_OVERWRITE_WATCH_H_
#define DYNOLITH_ENGINE_STORE_OVERWRITE_WATCH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/process/background_work.h"
#include "engine/store/rocks_types.h"
#include "rocksdb/listener.h"

namespace dynolith {

// The present options of a family.
struct FamilyTuning {
  size_t write_buffer_bytes = 0;
  int level0_files = 0;  // the number that starts a compaction

  bool operator==(const FamilyTuning&) const = default;
};

// The options of a family after a flush that kept `kept` of the memtable's changes: the others had
// been overwritten in it. `usual` are those of the opening; `level1_bytes` is the most that a
// compaction of a single file would have to rewrite.
FamilyTuning TuningAfterFlush(const FamilyTuning& usual, const FamilyTuning& now, double kept,
                              uint64_t level1_bytes);

// Compares what goes into the memtables with what comes out of them, and tunes each family by it,
// on a thread that is not RocksDB's, which may not wait for what SetOptions waits for. The first
// flush of overwritten rows begins it.
class OverwriteWatch {
 public:
  OverwriteWatch(const FamilyTuning& usual, BackgroundThreads* threads);
  OverwriteWatch(const OverwriteWatch&) = delete;
  OverwriteWatch& operator=(const OverwriteWatch&) = delete;
  ~OverwriteWatch() { Stop(); }

  // For the options with which the database is opened.
  std::shared_ptr<rocksdb::EventListener> listener() const;
  // From then on flushes have consequences. `db` must outlive the watch, or Stop be called.
  // `resuming_mutex` is RoomRecovery's.
  void Start(rocksdb::DB* db, const FamilyHandles& families, absl::Mutex* resuming_mutex);
  void Stop();

 private:
  // The result of one flush.
  struct FlushResult {
    size_t family;
    double kept;
  };
  // Outlives the watch for as long as RocksDB holds it.
  class Counts;

  absl::Duration TuneNext();
  void Tune(const FlushResult& flushed);

  const FamilyTuning usual_;
  const std::shared_ptr<Counts> counts_;
  rocksdb::DB* db_ = nullptr;
  absl::Mutex* resuming_mutex_ = nullptr;
  FamilyHandles families_ = {};
  std::array<FamilyTuning, kFamilies> tuning_;  // of TuneNext
  BackgroundWork work_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_OVERWRITE_WATCH_H_
