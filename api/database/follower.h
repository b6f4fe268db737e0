// Keeps a database up with the process that writes to its folder (DatabaseOptions::follow).
#ifndef DYNOLITH_API_DATABASE_FOLLOWER_H_
#define DYNOLITH_API_DATABASE_FOLLOWER_H_

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "api/request/call_gate.h"
#include "dynolith/follow_report.h"
#include "engine/catalog/catalog.h"
#include "engine/process/background_work.h"
#include "engine/store/local_store.h"

namespace dynolith {

// Thread-safe. Calls go through its gate, so that each sees one state.
class Follower {
 public:
  // How often it looks for what is new.
  static constexpr absl::Duration kPeriod = absl::Milliseconds(20);

  // `opened`: a moment before the store was opened, on the machine's clock. Borrows the rest.
  Follower(LocalStore* store, Catalog* catalog, absl::Time opened);
  // Stops.
  ~Follower() { Stop(); }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  // Begins in the background. Errors: StartThread's.
  absl::Status Start() { return work_.Begin(kPeriod); }
  void Stop() { work_.Stop(); }

  CallGate* gate() { return &gate_; }
  FollowReport Report() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Takes over what the writer had committed before the call; waits for calls under way. Not by a
  // call. Errors: those of LocalStore::CatchUp and Catalog::Reload.
  absl::Status CatchUp() ABSL_LOCKS_EXCLUDED(catching_up_, mutex_);

 private:
  absl::Duration Look() ABSL_LOCKS_EXCLUDED(catching_up_, mutex_);
  // Requires: the gate is closed.
  absl::Status TakeOver() ABSL_EXCLUSIVE_LOCKS_REQUIRED(catching_up_);
  void Note(absl::Time began, const absl::Status& result) ABSL_LOCKS_EXCLUDED(mutex_);

  LocalStore* const store_;
  Catalog* const catalog_;
  CallGate gate_;
  absl::Mutex catching_up_;
  bool is_catalog_old_ ABSL_GUARDED_BY(catching_up_) = false;
  bool has_failed_ ABSL_GUARDED_BY(catching_up_) = false;
  mutable absl::Mutex mutex_;  // acquired after catching_up_
  FollowReport report_ ABSL_GUARDED_BY(mutex_);
  BackgroundWork work_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_DATABASE_FOLLOWER_H_
