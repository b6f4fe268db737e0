// Calls on a database that follows another process's (DatabaseOptions::follow): as long as one is
// under way the rows and tables stay as they are, and what comes next waits for it.
#ifndef DYNOLITH_API_REQUEST_CALL_GATE_H_
#define DYNOLITH_API_REQUEST_CALL_GATE_H_

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace dynolith {

// Thread-safe.
class CallGate {
 public:
  // A call's way through. Waits while the gate is closed, which is a moment. nullptr: there is
  // none.
  class Pass {
   public:
    explicit Pass(CallGate* gate) : gate_(gate) {
      if (gate != nullptr) failure_ = gate->Enter();
    }
    ~Pass() {
      if (gate_ != nullptr) gate_->Leave();
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    // Why there is no state that the call could see; else OK.
    const absl::Status& failure() const { return failure_; }

   private:
    CallGate* const gate_;
    absl::Status failure_;
  };

  // Keeps new calls out and waits for those under way, for that time at most. False: some are still
  // under way, and the gate is open again. Requires: it is open; one thread closes it.
  bool Close(absl::Duration patience) ABSL_LOCKS_EXCLUDED(mutex_);
  // Opens it. With a failure calls pass, and fail with it.
  void Open(absl::Status failure) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  absl::Status Enter() ABSL_LOCKS_EXCLUDED(mutex_);
  void Leave() ABSL_LOCKS_EXCLUDED(mutex_);

  absl::Mutex mutex_;
  int calls_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith

#endif  // DYNOLITH_API_REQUEST_CALL_GATE_H_
