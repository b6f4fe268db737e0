// Resumes commits when a full disk has room again. RocksDB 7.8's own recovery demands room for all
// compactions that it has begun, and treats errors of compactions and of flushes alike: a store
// that had filled its own disk never resumed ("Cannot clear soft error"). So it is switched off,
// and done here. Private to engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_ROOM_ROOM_RECOVERY_H_
#define DYNOLITH_ENGINE_STORE_ROOM_ROOM_RECOVERY_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/process/background_work.h"
#include "engine/store/room/room.h"
#include "engine/store/room/room_file_system.h"
#include "rocksdb/db.h"
#include "rocksdb/listener.h"

namespace dynolith {

// Thread-safe. It works on `threads` from the first flush on that finds no room.
class RoomRecovery final : public rocksdb::EventListener {
 public:
  RoomRecovery(std::shared_ptr<Room> room, std::shared_ptr<RoomFileSystem> files,
               BackgroundThreads* threads)
      : room_(std::move(room)),
        files_(std::move(files)),
        work_(threads, [this] { return Look(); }) {}
  ~RoomRecovery() override { Stop(); }

  // `db` must stay until Stop.
  void Start(rocksdb::DB* db) ABSL_LOCKS_EXCLUDED(mutex_);
  void Stop() ABSL_LOCKS_EXCLUDED(mutex_);

  // Commits are refused, as a flush has failed: it will be retried. Also called by whoever sees
  // that refusal.
  void NoteStopped() ABSL_LOCKS_EXCLUDED(mutex_);
  bool is_stopped() const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return is_stopped_;
  }
  // Whether they ever were. After that RocksDB 7.8 keeps believing that it has stopped, does not
  // assign numbers to files that it ingests, and asserts because they have none. It would also
  // refuse commits because of a compaction's error, which is therefore hidden from it, so a stall
  // may never end: commits must not wait for its end inside RocksDB.
  bool was_stopped() const { return stops_.load(std::memory_order_relaxed) > 0; }
  // Whether the last compaction found no room.
  bool lacks_compactions() const ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    return lacks_compactions_;
  }
  // Nothing is resumed while it is held. RocksDB asserts if a manifest cannot be written meanwhile,
  // and an ingestion writes one.
  absl::Mutex* resuming_mutex() ABSL_LOCK_RETURNED(resuming_mutex_) { return &resuming_mutex_; }
  // The bytes to write before commits resume.
  uint64_t UnflushedBytes() const ABSL_LOCKS_EXCLUDED(mutex_);

  // Called by RocksDB, which holds none of its locks then.
  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override;
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason reason, rocksdb::Status error,
                            bool* auto_recovery) override;
  void OnTableFileCreationStarted(const rocksdb::TableFileCreationBriefInfo& file) override;
  void OnTableFileCreated(const rocksdb::TableFileCreationInfo& file) override;
  void OnCompactionCompleted(rocksdb::DB* db, const rocksdb::CompactionJobInfo& job) override;

 private:
  void LookSoon() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Whether there is room.
  absl::Duration Look() ABSL_LOCKS_EXCLUDED(mutex_, resuming_mutex_);
  void Resume(rocksdb::DB* db) ABSL_LOCKS_EXCLUDED(mutex_, resuming_mutex_);

  const std::shared_ptr<Room> room_;
  const std::shared_ptr<RoomFileSystem> files_;
  absl::Mutex resuming_mutex_ ABSL_ACQUIRED_BEFORE(mutex_);
  mutable absl::Mutex mutex_;
  rocksdb::DB* db_ ABSL_GUARDED_BY(mutex_) = nullptr;  // nullptr: not started, or stopped
  bool is_stopped_ ABSL_GUARDED_BY(mutex_) = false;
  bool lacks_compactions_ ABSL_GUARDED_BY(mutex_) = false;
  std::atomic<uint64_t> stops_ = 0;  // written under mutex_
  int looks_ = 0;                    // of Look
  BackgroundWork work_;              // last: it stops before what it uses goes
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ROOM_ROOM_RECOVERY_H_
