// How long a thread waits in all for a store that does not answer, whatever it asks of it one after
// the other: a connection, an answer, and what became of a commit.
//
//   const Patience patience;   // of a call
//   ...                        // waits end at Patience::End(), each answer renews it
#ifndef DYNOLITH_ENGINE_STORE_TRANSACTION_PATIENCE_H_
#define DYNOLITH_ENGINE_STORE_TRANSACTION_PATIENCE_H_

#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace dynolith {

// Of the thread, from its construction to its end; within another one it does nothing.
class Patience {
 public:
  // A call fails within 10 seconds, as SDKs wait for no less.
  static constexpr absl::Duration kTime = absl::Seconds(9);

  explicit Patience(absl::Duration time = kTime) : is_outermost_(time_ == absl::ZeroDuration()) {
    if (!is_outermost_) return;
    time_ = time;
    Renew();
  }
  ~Patience() {
    if (is_outermost_) time_ = absl::ZeroDuration();
  }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  // When the calling thread gives up.
  static absl::Time End() { return time_ == absl::ZeroDuration() ? absl::InfiniteFuture() : end_; }
  // The store has answered.
  static void Renew() {
    if (time_ != absl::ZeroDuration()) end_ = absl::Now() + time_;
  }

 private:
  static inline thread_local absl::Duration time_;  // zero: there is none
  static inline thread_local absl::Time end_;
  const bool is_outermost_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_TRANSACTION_PATIENCE_H_
