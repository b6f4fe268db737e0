// What the parts of a migration have in common while it runs.
#ifndef DYNOLITH_TOOLS_MIGRATE_WORK_H_
#define DYNOLITH_TOOLS_MIGRATE_WORK_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "tools/migrate/item_changes.h"
#include "tools/migrate/migration_options.h"
#include "tools/migrate/migration_state.h"
#include "tools/migrate/rate_limiter.h"
#include "tools/migrate/side.h"

namespace dynolith::migrate {

// Thread-safe where nothing else is said. Borrows everything.
class Work {
 public:
  Work(const MigrationOptions& options, const MigrationListener& listener, Side* from, Side* to,
       ItemChanges* changes, StateFile* state);

  const MigrationOptions& options() const { return options_; }
  Side* from() { return from_; }
  Side* to() { return to_; }
  ItemChanges* changes() { return changes_; }
  StateFile* state() { return state_; }
  RateLimiter* reads() { return &reads_; }
  RateLimiter* writes() { return &writes_; }
  bool is_over() const { return from_->is_over()(); }

  void Warn(const std::string& text) ABSL_LOCKS_EXCLUDED(mutex_);
  // Something is not on TO that should be; counts it for the table.
  void Refuse(const std::string& table, const std::string& text) ABSL_LOCKS_EXCLUDED(mutex_);
  void Say(const std::string& text) ABSL_LOCKS_EXCLUDED(mutex_);

  // Calls `run` with each number below `count`, on at most as many threads as there are segments,
  // and meanwhile shows the progress and saves the state. Returns when all have returned. After an
  // error no further number is begun. Errors: the first of all; of the state; kCancelled if the run
  // is over. For one thread.
  absl::Status Together(size_t count, const std::function<absl::Status(size_t number)>& run);

  // For one thread, while nothing runs together.
  MigrationProgress* progress() { return &progress_; }
  // Items that are written or compared in this phase, for the progress.
  std::atomic<uint64_t>* done() { return &done_; }
  std::atomic<uint64_t>* changed() { return &changed_; }
  void ShowProgress() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  const MigrationOptions& options_;
  const MigrationListener& listener_;
  Side* const from_;
  Side* const to_;
  ItemChanges* const changes_;
  StateFile* const state_;
  RateLimiter reads_;
  RateLimiter writes_;
  std::atomic<uint64_t> done_ = 0;
  std::atomic<uint64_t> changed_ = 0;
  MigrationProgress progress_;
  absl::Mutex mutex_;  // of the listener's calls
};

}  // namespace dynolith::migrate

#endif  // DYNOLITH_TOOLS_MIGRATE_WORK_H_
