// Work that one process at a time does for all: sweeps, trimming, filling of indexes.
//
// Rows in Family::kMeta (meta_keys.h):
//   kLeaseKeys 'h' name -> process:16 number:u64be   ; the holder, and the how manieth it is
//   kLeaseKeys 'u' name -> until:u64be               ; microseconds since 1970, by its clock
//
// A lease is right without any clock: each commit under it expects the holder's row, which changes
// with the holder alone, so a process that has lost it changes nothing any more. Clocks only say
// when another process may take it. If they differ by more than kClockDifferenceMax, processes take
// it from each other, and work is begun in vain.
#ifndef DYNOLITH_ENGINE_STORE_TRANSACTION_LEASES_H_
#define DYNOLITH_ENGINE_STORE_TRANSACTION_LEASES_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "engine/base/clock.h"
#include "engine/store/store.h"
#include "engine/store/transaction/transaction.h"

namespace dynolith {

// After that time without a renewal another process may take a lease.
inline constexpr absl::Duration kLeaseTime = absl::Seconds(10);
// By which the clocks of two processes may differ.
inline constexpr absl::Duration kClockDifferenceMax = absl::Seconds(5);

// The names of all leases.
// The sweep of expired items and all that the housekeeper does besides.
inline constexpr std::string_view kHousekeepingLease = "housekeeping";
// The filling of indexes.
inline constexpr std::string_view kBackfillLease = "backfill";
// Exports, imports and bulk puts.
inline constexpr std::string_view kTransfersLease = "transfers";

// A lease as it was taken. Of a LocalStore, whose only process has every lease, it has no effect.
class Lease {
 public:
  // The commit of the transaction is kAborted if another process has taken the lease. Costs no
  // read.
  void Guard(const Transaction& transaction) const;
  // Why such a transaction was aborted, as far as it was the lease. Errors: kCancelled: another
  // process has it; those of the read.
  absl::Status CheckHeld(const ReadView& now) const;
  // Guard, and CheckHeld unless this is the first try of RunTransaction.
  absl::Status Guard(const Transaction& transaction, bool is_again) const;
  // Store::Commit under the lease.
  absl::Status Commit(Store* store, const WriteBatch& batch) const;

 private:
  friend class Leases;
  // Both empty: in a LocalStore.
  std::string name_;
  std::string holder_;  // the row's value
};

// The leases of one process. Thread-safe; may wait for the store.
class Leases {
 public:
  // Both must outlive the leases.
  Leases(Store* store, const Clock* clock) : store_(store), clock_(clock) {}
  // Gives all back.
  ~Leases();
  Leases(const Leases&) = delete;
  Leases& operator=(const Leases&) = delete;

  // The lease if this process has it, renewed if half of its time has passed, or has taken it now;
  // nullptr: another process has it. Errors: kDataLoss; the store's.
  absl::StatusOr<std::shared_ptr<const Lease>> Hold(std::string_view name)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Another process may take it at once. No effect if this one does not have it.
  absl::Status Release(std::string_view name) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Held {
    std::shared_ptr<const Lease> lease;
    absl::Time until;
  };

  // What takes or renews it, in one attempt; the lease is nullptr if another process has it.
  absl::StatusOr<Held> TryHold(const std::string& name, const Held& before);
  absl::Status TryRelease(const Held& held);

  Store* const store_;
  const Clock* const clock_;
  absl::Mutex mutex_;  // held during the whole of a call
  std::map<std::string, Held, std::less<>> held_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_TRANSACTION_LEASES_H_
