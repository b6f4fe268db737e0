// Selects the state that an eventually consistent read sees: the rules, the holds, and the moments
// that are kept for them (README.md).
#ifndef DYNOLITH_API_STALENESS_STALE_READS_H_
#define DYNOLITH_API_STALENESS_STALE_READS_H_

#include <atomic>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "api/staleness/moment.h"
#include "api/staleness/snapshot_history.h"
#include "dynolith/staleness_options.h"
#include "engine/base/clock.h"
#include "engine/stream/stream_log.h"

namespace dynolith {

// "music", "music/by-year", "music:stream"; empty: everything. Names do not contain these
// separators.
std::string ReadScopeText(const ReadScope& scope);

// Thread-safe. Its lock is the innermost one: commits call it with all others held.
class StaleReads {
 public:
  // The pointers must outlive the object. Makes the store call it before each commit if necessary,
  // so nobody may commit meanwhile, nor after its end. Errors: kInvalidArgument.
  static absl::StatusOr<std::unique_ptr<StaleReads>> Make(Store* store, const StreamLog* streams,
                                                          const Clock* clock,
                                                          const StalenessOptions& options);

  // Whether any read may see an older state. Usually false, at the cost of one load.
  bool any() const { return any_.load(std::memory_order_relaxed); }

  enum class Mode : uint8_t { kEventual, kStrong };
  // The state that a read of `what` by the thread's client sees. `what` has a table.
  MomentPointer Choose(const ReadScope& what, Mode mode) ABSL_LOCKS_EXCLUDED(mutex_);

  // The index is about to be read from other rows, which contain all present entries: reads of an
  // older moment of it will see this one. Requires: nobody writes to the table until the reshard is
  // published.
  void NoteReshard(const ReadScope& index) ABSL_LOCKS_EXCLUDED(mutex_);

  // See Database. Hold does not check that the table exists.
  void Hold(const ReadScope& scope) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Release(const ReadScope& scope) ABSL_LOCKS_EXCLUDED(mutex_);
  StalenessState Describe() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // An active rule.
  struct Rule {
    StalenessRule rule;
    SnapshotHistory* kept = nullptr;  // of its bound; nullptr: it does not lag
    uint64_t random = 0;              // the state of its own numbers, so that rules do not mix
  };
  struct HeldMoment {
    ReadScope of;
    MomentPointer moment;
  };

  // The last reshard of an index.
  struct Reshard {
    ReadScope index;
    uint64_t number = 0;   // moments from here on show its present rows
    MomentPointer moment;  // of that number, as long as a hold is older
  };

  StaleReads(Store* store, const StreamLog* streams, const Clock* clock,
             const StalenessOptions& options)
      : store_(store), streams_(streams), clock_(clock), options_(options) {}

  absl::Status AddRule(const StalenessRule& rule) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void BeforeCommit() ABSL_LOCKS_EXCLUDED(mutex_);
  // The clock's time. If it has been set back, the times of all kept moments are meaningless.
  absl::Time Now() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  MomentPointer Take(absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // No moment of a number below `number_min`.
  MomentPointer ChooseByRule(Rule* rule, const std::string& seen_key, Mode mode,
                             uint64_t number_min) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  uint64_t SeenBy(const std::string& seen_key) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteSeen(const std::string& seen_key, uint64_t number) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Drops entries that every kept moment satisfies.
  void ForgetSeen() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Drops the moments of reshards that no hold needs any more.
  void ReleaseReshards() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TellAny() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Store* const store_;
  const StreamLog* const streams_;
  const Clock* const clock_;
  const StalenessOptions options_;
  std::atomic<bool> any_ = false;
  // No commit before that time needs a moment; in nanoseconds since 1970.
  static constexpr int64_t kDueAtOnce = std::numeric_limits<int64_t>::min();
  std::atomic<int64_t> due_ = kDueAtOnce;

  mutable absl::Mutex mutex_;
  std::map<std::string, Rule, std::less<>> rules_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, HeldMoment, std::less<>> holds_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, Reshard, std::less<>> reshards_ ABSL_GUARDED_BY(mutex_);
  // By their bounds.
  std::map<absl::Duration, SnapshotHistory> kept_ ABSL_GUARDED_BY(mutex_);
  uint64_t taken_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::Time last_now_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  // The latest moment that a client has seen of a table or a part, by both names.
  std::unordered_map<std::string, uint64_t> seen_ ABSL_GUARDED_BY(mutex_);
  size_t forget_at_ ABSL_GUARDED_BY(mutex_) = 0;
};

// The state for a read of items (Store::At): nullptr, the newest state, unless `reads` (nullptr:
// none) chooses another.
inline std::shared_ptr<const Snapshot> ChooseMoment(StaleReads* reads, std::string_view table,
                                                    std::string_view index, StaleReads::Mode mode) {
  if (reads == nullptr || !reads->any()) return nullptr;
  const MomentPointer moment =
      reads->Choose({.table = std::string(table), .index = std::string(index)}, mode);
  return moment != nullptr ? moment->snapshot : nullptr;
}

}  // namespace dynolith

#endif  // DYNOLITH_API_STALENESS_STALE_READS_H_
