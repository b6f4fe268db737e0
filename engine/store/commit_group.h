// Commits of several callers as one, so that they share a sync. RocksDB's own group takes whoever
// waits when a sync ends: those that it has answered come back while the next sync is going on, so
// that of many callers half are in each. Here the one who writes next waits for them, as long as
// they keep coming.
#ifndef DYNOLITH_ENGINE_STORE_COMMIT_GROUP_H_
#define DYNOLITH_ENGINE_STORE_COMMIT_GROUP_H_

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/store/store.h"
#include "rocksdb/status.h"

namespace dynolith {

// Thread-safe.
class CommitGroup {
 public:
  struct Member {
    const WriteBatch* batch;
    rocksdb::Status status = {};
    bool is_done = false;
  };
  // Writes the members' batches in their order and sets each one's status. Called by one at a time.
  using Write = absl::FunctionRef<void(absl::Span<Member* const> members)>;

  // Has the batch written, by this caller or by another one whose `write` does the same. Blocks.
  rocksdb::Status Commit(const WriteBatch& batch, Write write) {
    Member me{&batch};
    absl::MutexLock lock(&mutex_);
    waiting_.push_back(&me);
    const auto is_my_turn = [this, &me]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
      return me.is_done || (!is_led_ && waiting_.front() == &me);
    };
    mutex_.Await(absl::Condition(&is_my_turn));
    if (!me.is_done) Lead(write);
    return me.status;
  }

 private:
  using Clock = std::chrono::steady_clock;

  static constexpr size_t kGroupBytesMax = 1 << 20;
  // Parts of a sync's time: who has not come for so long is not waited for, and nobody for longer.
  static constexpr int kGapsInSync = 20;
  static constexpr int kWaitsInSync = 2;
  // Of a disk that is slow for a moment.
  static constexpr absl::Duration kSyncMax = absl::Milliseconds(20);

  void Lead(Write write) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    is_led_ = true;
    AwaitOthers();
    const std::vector<Member*> members = TakeMembers();
    mutex_.Unlock();
    const Clock::time_point start = Clock::now();
    write(members);
    const absl::Duration took = absl::FromChrono(Clock::now() - start);
    mutex_.Lock();
    last_write_ = std::min(took, kSyncMax);
    // These, and who came meanwhile, are who may come next.
    expected_ = members.size() + waiting_.size();
    for (Member* const member : members) member->is_done = true;
    is_led_ = false;
  }

  // Until as many wait as there were about the last time.
  void AwaitOthers() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const Clock::time_point end =
        Clock::now() + absl::ToChronoNanoseconds(last_write_ / kWaitsInSync);
    for (size_t before = waiting_.size(); before < expected_; before = waiting_.size()) {
      const auto has_come = [this, before]() ABSL_SHARED_LOCKS_REQUIRED(mutex_) {
        return waiting_.size() > before;
      };
      const absl::Duration left =
          std::min(absl::FromChrono(end - Clock::now()), last_write_ / kGapsInSync);
      if (!mutex_.AwaitWithTimeout(absl::Condition(&has_come), left)) return;
    }
  }

  std::vector<Member*> TakeMembers() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    size_t bytes = 0;
    auto end = waiting_.begin();
    while (end != waiting_.end() &&
           (bytes == 0 || bytes + (*end)->batch->bytes() <= kGroupBytesMax)) {
      bytes += (*end++)->batch->bytes();
    }
    std::vector<Member*> members(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
    return members;
  }

  absl::Mutex mutex_;
  std::vector<Member*> waiting_ ABSL_GUARDED_BY(mutex_);  // the first one writes next
  bool is_led_ ABSL_GUARDED_BY(mutex_) = false;
  size_t expected_ ABSL_GUARDED_BY(mutex_) = 1;
  absl::Duration last_write_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_COMMIT_GROUP_H_
