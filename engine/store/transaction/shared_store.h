// A store whose rows other processes change as well. Nothing that this process knows of them, nor
// its locks, says what they are at a commit: so each change is an attempt of a transaction, which
// the store refuses if a row that it has read was changed by somebody else meanwhile.
#ifndef DYNOLITH_ENGINE_STORE_TRANSACTION_SHARED_STORE_H_
#define DYNOLITH_ENGINE_STORE_TRANSACTION_SHARED_STORE_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/store/store.h"
#include "engine/store/transaction/attempt.h"
#include "engine/store/transaction/commit_slots.h"
#include "engine/store/transaction/messages.h"
#include "engine/store/transaction/stamp.h"

namespace dynolith {

// The largest that a shared store takes. A larger change is refused with kInvalidArgument; of
// longer keys and values, limits/ makes several.
struct StoreLimits {
  size_t key_bytes = 0;
  size_t value_bytes = 0;
  size_t batch_bytes = 0;           // of a batch (WriteBatch::bytes)
  absl::Duration transaction_time;  // from Begin to Commit
};

// The error of a batch above batch_bytes: ValidationException. It is found before anything is sent.
absl::Status CheckBatchBytes(const WriteBatch& batch, size_t batch_bytes);
bool IsBatchTooLarge(const absl::Status& status);

// Thread-safe.
class SharedStore : public Store {
 public:
  SharedStore* shared() final { return this; }

  virtual const StoreLimits& limits() const = 0;
  virtual std::unique_ptr<Attempt> Begin() = 0;

  // A snapshot between two commits in the order of transactions: no commit that takes effect later
  // comes before one that it shows. One by TakeSnapshot has all commits that were answered, but of
  // those under way one that still saw what another has replaced may follow, since nothing but a
  // commit confirms reads. May wait for commits under way. Its errors are those of its reads.
  virtual std::shared_ptr<const Snapshot> TakeSerialSnapshot() const { return TakeSnapshot(); }

  // Each stamped row (Attempt::PutStamped) with a stamp up to this one is seen by every read that
  // begins after the return, or will never exist. Later calls give no less. Errors: kUnimplemented:
  // the store has no stamps; the store's.
  virtual absl::StatusOr<Stamp> StableStamp() const {
    return absl::UnimplementedError(messages::StoreHasNoStamps());
  }

  // As Attempt::Commit, but never kUnknown: what the store does not say is found out by a row that
  // goes with the batch (CommitSlots). kUnavailable: that did not succeed either.
  absl::Status CommitAttempt(Attempt* attempt, const WriteBatch& batch);

  // Without reads, run again as often as necessary.
  absl::Status Commit(const WriteBatch& batch) final;

  // By which the store knows this process (commit_slots.h). Another one after the process had been
  // taken for ended. Errors: as CommitAttempt's.
  absl::StatusOr<std::string> ProcessName();

 private:
  CommitSlots slots_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_TRANSACTION_SHARED_STORE_H_
