// Keeps rows that are overwritten all the time cheap to read by ranges: their old versions lie in
// the memtable and in each file of level 0, and a range steps over all of them. Private to
// engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_OVERWRITE_WATCH_H_
#define DYNOLITH_ENGINE_STORE_OVERWRITE_WATCH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/time/time.h"
#include "engine/base/background_work.h"
#include "engine/store/rocks_types.h"
#include "rocksdb/listener.h"

namespace dynolith {

// What a family has for now.
struct FamilyTuning {
  size_t write_buffer_bytes = 0;
  int level0_files = 0;  // that bring a compaction

  bool operator==(const FamilyTuning&) const = default;
};

// What a family shall have after a flush that kept `kept` of the memtable's changes: the others
// had been overwritten in it. `usual` is what the store was opened with; `level1_bytes` what a
// compaction of a single file would have to write anew at most.
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

  // For the options that the database is opened with.
  std::shared_ptr<rocksdb::EventListener> listener() const;
  // From then on flushes have consequences. `db` must outlive the watch, or Stop be called.
  void Start(rocksdb::DB* db, const FamilyHandles& families);
  void Stop();

 private:
  // What one flush has kept.
  struct Flushed {
    size_t family;
    double kept;
  };
  // Outlives the watch for as long as RocksDB holds it.
  class Counts;

  absl::Duration TuneNext();
  void Tune(const Flushed& flushed);

  const FamilyTuning usual_;
  const std::shared_ptr<Counts> counts_;
  rocksdb::DB* db_ = nullptr;
  FamilyHandles families_ = {};
  std::array<FamilyTuning, kFamilies> tuning_;  // of TuneNext
  BackgroundWork work_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_OVERWRITE_WATCH_H_
