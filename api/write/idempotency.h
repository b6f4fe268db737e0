// The tokens of finished transactions, kept for 10 minutes and across restarts, so that a repeated
// request does nothing again (api/facts/operations.md §3).
//
// Rows in Family::kMeta (engine/store/meta_keys.h):
//   kTokenKeys token                      -> nanoseconds:i64be fingerprint:32
//                                            ; when it finished, and what it was
//   kTokenAgeKeys nanoseconds:i64be token -> nothing
//                                            ; the same, by age
#ifndef DYNOLITH_API_WRITE_IDEMPOTENCY_H_
#define DYNOLITH_API_WRITE_IDEMPOTENCY_H_

#include <atomic>
#include <set>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "engine/base/clock.h"
#include "engine/store/store.h"
#include "engine/store/transaction/transaction.h"

namespace dynolith {

// SHA-256 of a request's canonical bytes.
std::string Fingerprint(std::string_view canonical_request);

// Thread-safe.
class IdempotencyTokens {
 public:
  IdempotencyTokens(Store* store, const Clock* clock) : store_(store), clock_(clock) {}

  // One use of a token; ends when destroyed.
  class Use {
   public:
    Use() = default;
    Use(Use&& other) noexcept;
    Use& operator=(Use&& other) noexcept;
    ~Use();
    // Whether the same request has been executed already.
    bool is_replay() const { return is_replay_; }
    // Looks again: another process may have executed it since. Errors:
    // IdempotentParameterMismatchException, as Begin's; the store's.
    absl::Status LookUp();
    // Adds the token to the batch of the transaction that executes the request, and removes some
    // expired ones. Called once in each attempt. Errors: TransactionInProgressException if another
    // process has used the token meanwhile, after an attempt that was aborted for it; those of
    // reads.
    absl::Status Record(const Transaction& transaction, WriteBatch* batch);

   private:
    friend class IdempotencyTokens;
    // In a SharedStore: nobody else has used it by the commit.
    absl::Status CheckUnused(const Transaction& transaction);

    IdempotencyTokens* tokens_ = nullptr;
    std::string token_;
    std::string fingerprint_;
    std::string expired_row_;  // of the token; empty: there was none
    bool is_replay_ = false;
    bool has_expected_ = false;  // the row to be as it was
  };

  // Errors: TransactionInProgressException while another use of the token is running,
  // IdempotentParameterMismatchException if it was used for another request.
  absl::StatusOr<Use> Begin(std::string_view token, std::string_view fingerprint)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // The time of the last token in the store. Errors: the store's.
  absl::StatusOr<absl::Time> LatestTime() const;

 private:
  // Deletes up to so many of the oldest expired tokens.
  void AppendPurge(const ReadView& rows, int purged_max, WriteBatch* batch) const;

  Store* const store_;
  const Clock* const clock_;
  std::atomic<unsigned> recorded_ = 0;  // in a SharedStore
  absl::Mutex mutex_;
  std::set<std::string, std::less<>> under_way_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_IDEMPOTENCY_H_
