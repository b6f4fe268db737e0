// Group commit: commits of several callers as one, so that they share a sync. RocksDB's own group
// takes the callers that wait when a sync ends: those just answered come back during the next sync,
// so that with many callers half of them are in each group. Here the next writer waits for them, as
// long as they keep coming.
#ifndef DYNOLITH_ENGINE_STORE_COMMIT_GROUP_H_
#define DYNOLITH_ENGINE_STORE_COMMIT_GROUP_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <new>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "engine/process/sleeper.h"
#include "engine/store/store.h"
#include "rocksdb/status.h"

namespace dynolith {

// Thread-safe.
class CommitGroup {
 public:
  struct Member {
    explicit Member(const WriteBatch* of) : batch(of) {}

    const WriteBatch* const batch;
    rocksdb::Status status = {};

   private:
    friend class CommitGroup;
    uint32_t group = 0;          // in which it waits to be written; under the mutex
    bool sleeps_alone = false;   // until it is woken by `sleeper`; under the mutex
    Member* relieved = nullptr;  // the one whose wait this caller, as the last to arrive, has ended
    std::atomic<bool> is_done = false;  // its writer does not access it any more
    Sleeper sleeper;
  };
  using Members = std::list<Member*>;
  // Writes the members' batches in their order and sets each one's status. Called by one at a time.
  // Throws only if nothing has been written.
  using Write = absl::FunctionRef<void(const Members& members)>;

  // Has the batch written, by this caller or by another one whose `write` does the same. Blocks.
  rocksdb::Status Commit(const WriteBatch& batch, Write write) {
    Member me(&batch);
    // All that waiting takes: without memory nobody waits for this one.
    Members alone(1, &me);
    const Members members = Join(&me, std::move(alone));
    if (!members.empty()) WriteAll(members, &me, write);
    // The thread that has set it, and the status before it, does not access the member any more.
    [[maybe_unused]] const bool is_done = me.is_done.load(std::memory_order_acquire);
    assert(is_done);
    return std::move(me.status);
  }

 private:
  using Clock = std::chrono::steady_clock;

  static constexpr size_t kGroupBytesMax = 1 << 20;
  // Fractions of a sync's time: the longest wait for the next arrival, and for all of them.
  static constexpr int kGapsInSync = 20;
  static constexpr int kWaitsInSync = 2;
  // The limit for a disk that is temporarily slow.
  static constexpr Clock::duration kSyncMax = std::chrono::milliseconds(20);

  // Returns the members that the caller has to write, including itself; none: it has been written.
  // `alone`: a list of itself.
  Members Join(Member* me, Members alone) noexcept ABSL_LOCKS_EXCLUDED(mutex_) {
    mutex_.Lock();
    me->group = group_;
    if (IsLastAwaited(*me)) {
      // Writes at once, as waking up the waiting leader takes a while. That one is the first.
      me->relieved = waiting_.front();
      waiting_.splice(std::next(waiting_.begin()), alone);
      leader_ = me;
      awaited_ = 0;
      Members members = TakeMembers();
      mutex_.Unlock();
      return members;
    }
    waiting_.splice(waiting_.end(), alone);
    if (leader_ == nullptr) leader_ = me;
    while (leader_ != me) {
      // The first one leads next, and no other member needs waking up.
      me->sleeps_alone = !waiting_.empty() && waiting_.front() == me;
      const uint32_t group = me->group;
      mutex_.Unlock();
      Sleep(me, group);
      // Most have been written, and then do not take the mutex.
      if (me->is_done.load(std::memory_order_acquire)) return {};
      mutex_.Lock();
    }
    me->sleeps_alone = true;
    Members members = AwaitOthers(me) ? TakeMembers() : Members();
    mutex_.Unlock();
    return members;
  }

  // Until that group has been written, or this member leads.
  void Sleep(Member* me, uint32_t group) {
    if (me->sleeps_alone) {
      me->sleeper.Sleep();
    } else {
      written_[group % 2].Await(group);
    }
  }

  bool IsLastAwaited(const Member& me) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return awaited_ > 0 && waiting_.size() + 1 == awaited_ &&
           waiting_.front()->batch->bytes() + me.batch->bytes() <= kGroupBytesMax;
  }

  // Until about as many wait as the last time. False: the last one to arrive has written all of
  // them.
  bool AwaitOthers(Member* me) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const Clock::time_point end = Clock::now() + last_write_ / kWaitsInSync;
    for (size_t before = 0; before < waiting_.size() && waiting_.size() < expected_;) {
      before = waiting_.size();
      const Clock::time_point gap_end = Clock::now() + last_write_ / kGapsInSync;
      awaited_ = expected_;
      mutex_.Unlock();
      const bool is_woken = me->sleeper.SleepUntil(std::min(end, gap_end));
      mutex_.Lock();
      if (leader_ != me) {
        mutex_.Unlock();
        if (!is_woken) me->sleeper.Sleep();
        mutex_.Lock();
        return false;
      }
      awaited_ = 0;
      if (Clock::now() >= end) break;
    }
    return true;
  }

  Members TakeMembers() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    size_t bytes = 0;
    auto end = waiting_.begin();
    while (end != waiting_.end() &&
           (bytes == 0 || bytes + (*end)->batch->bytes() <= kGroupBytesMax)) {
      bytes += (*end++)->batch->bytes();
    }
    Members members;
    members.splice(members.end(), waiting_, waiting_.begin(), end);
    ++group_;
    for (Member* const member : waiting_) member->group = group_;
    return members;
  }

  void WriteAll(const Members& members, Member* me, Write write) ABSL_LOCKS_EXCLUDED(mutex_) {
    const uint32_t group = me->group;  // it does not change any more
    const Clock::time_point start = Clock::now();
    try {
      write(members);
    } catch (const std::bad_alloc&) {
      for (Member* const member : members) member->status = rocksdb::Status::MemoryLimit();
    }
    const Clock::duration took = Clock::now() - start;
    Member* const relieved = me->relieved;
    for (Member* const member : members) member->is_done.store(true, std::memory_order_release);
    Member* const next = EndWrite(group, members.size(), took);
    if (relieved != nullptr) relieved->sleeper.Wake();
    written_[group % 2].WakeAll();
    // After those for whom it will wait.
    if (next != nullptr) next->sleeper.Wake();
  }

  // Returns the next leader if it sleeps alone; else it is woken with the group's members, or the
  // next caller leads.
  Member* EndWrite(uint32_t group, size_t members, Clock::duration took)
      ABSL_LOCKS_EXCLUDED(mutex_) {
    absl::MutexLock lock(&mutex_);
    // In the order of the groups.
    written_[group % 2].Reach(group);
    last_write_ = std::min(took, kSyncMax);
    // These, and those that arrived meanwhile, are expected next.
    expected_ = members + waiting_.size();
    leader_ = waiting_.empty() ? nullptr : waiting_.front();
    return leader_ != nullptr && leader_->sleeps_alone ? leader_ : nullptr;
  }

  absl::Mutex mutex_;
  Members waiting_ ABSL_GUARDED_BY(mutex_);           // the first one is the next to be written
  Member* leader_ ABSL_GUARDED_BY(mutex_) = nullptr;  // the caller that writes, or is about to
  // The number of waiting members at which the last to arrive writes; 0: nobody waits for others.
  size_t awaited_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t expected_ ABSL_GUARDED_BY(mutex_) = 1;
  Clock::duration last_write_ ABSL_GUARDED_BY(mutex_) = Clock::duration::zero();
  uint32_t group_ ABSL_GUARDED_BY(mutex_) = 2;  // the number of the waiting group
  // For groups with even and odd numbers: while one is written the next one gathers.
  std::array<Milestone, 2> written_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_COMMIT_GROUP_H_
