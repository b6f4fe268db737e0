// What global tables record of their writes, in the same commit: the version of each item, and the
// change for each other region.
#ifndef DYNOLITH_ENGINE_REPLICA_REPLICA_LOG_H_
#define DYNOLITH_ENGINE_REPLICA_REPLICA_LOG_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/base/clock.h"
#include "engine/catalog/row_follower.h"
#include "engine/catalog/table_meta.h"
#include "engine/replica/replica_rows.h"
#include "engine/store/store.h"

namespace dynolith {

// Thread-safe.
class ReplicaLog {
 public:
  // `store` and `clock` must outlive it. `region`: in the versions of this database's writes.
  ReplicaLog(const Store* store, const Clock* clock, std::string region)
      : store_(store), clock_(clock), region_(std::move(region)) {}

  const std::string& region() const { return region_; }
  // How far the clock of versions is ahead of the clock; negative: behind it.
  void SetSkew(absl::Duration skew) { skew_ = absl::ToInt64Microseconds(skew); }
  absl::Duration skew() const { return absl::Microseconds(skew_.load()); }
  // For how long after a write of a strong table another region may not write the item.
  void SetOverlap(absl::Duration overlap) { overlap_ = absl::ToInt64Microseconds(overlap); }
  // The writes that were refused for it.
  int64_t conflicts() const { return conflicts_.load(); }

  // Is called after each commit with changes for other regions, with the row locks held; it must
  // not wait. Empty: nobody is told.
  void TellOf(std::function<void()> changes) ABSL_LOCKS_EXCLUDED(mutex_);

  // The version of the row's item in that state; stamp 0 if it has none. Errors: kDataLoss; the
  // store's.
  static absl::StatusOr<ItemVersion> VersionOf(const ReadView& rows, std::string_view row_key);

  // Deletes everything of a table that has no replica any more, with the commit of `batch`.
  static void Forget(StorageId table, WriteBatch* batch);
  // Deletes what is still to be sent to a region.
  static void Forget(StorageId table, std::string_view region, WriteBatch* batch);

 private:
  friend class ReplicaRecorder;
  void Tell() ABSL_LOCKS_EXCLUDED(mutex_);

  const Store* const store_;
  const Clock* const clock_;
  const std::string region_;
  std::atomic<int64_t> skew_ = 0;     // microseconds
  std::atomic<int64_t> overlap_ = 0;  // microseconds
  std::atomic<int64_t> conflicts_ = 0;
  absl::Mutex mutex_;
  std::function<void()> changes_ ABSL_GUARDED_BY(mutex_);
};

// The rows of one commit, a RowFollower. The row locks are held as long as it lives.
class ReplicaRecorder {
 public:
  // `log` must outlive the recorder. nullptr: nothing is recorded.
  explicit ReplicaRecorder(ReplicaLog* log) : log_(log) {}
  ReplicaRecorder(const ReplicaRecorder&) = delete;
  ReplicaRecorder& operator=(const ReplicaRecorder&) = delete;
  ~ReplicaRecorder() {
    if (has_changes_) log_->Tell();
  }

  static bool Concerns(const TableMeta& meta) { return !meta.replicas.empty(); }
  // Adds the rows of a write of this region, which may have left the item as it was. Errors: also
  // ReplicatedWriteConflictException.
  absl::Status Append(const RowChange& change, WriteBatch* batch);
  // Adds those of a write that another region has done: it goes on to replicas that are being
  // filled from here.
  void AppendReceived(const RowChange& change, const ItemVersion& version, WriteBatch* batch);

 private:
  absl::Status CheckNotBeingWritten(const TableMeta& meta, const ItemVersion& before,
                                    uint64_t now) const;
  void Send(const RowChange& change, const ItemVersion& version, bool is_received,
            WriteBatch* batch);

  ReplicaLog* const log_;
  bool has_changes_ = false;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_REPLICA_REPLICA_LOG_H_
