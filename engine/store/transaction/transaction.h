// A change that depends on rows that it has read: nobody else changes them from its beginning to
// its commit.
//
// In a LocalStore the locks of the rows make sure of that: Begin waits for them, the reads are the
// store's own, and no commit is aborted. In a SharedStore others change rows without asking: the
// reads show one state, and the commit is aborted if a row that was read has changed since. The
// locks are taken there as well, so that threads of one process wait instead of aborting each
// other.
#ifndef DYNOLITH_ENGINE_STORE_TRANSACTION_TRANSACTION_H_
#define DYNOLITH_ENGINE_STORE_TRANSACTION_TRANSACTION_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "engine/store/local_store.h"
#include "engine/store/row_locks.h"
#include "engine/store/store.h"
#include "engine/store/transaction/attempt.h"
#include "engine/store/transaction/run_transaction.h"
#include "engine/store/transaction/shared_store.h"

namespace dynolith {

// Belongs to one thread. Holds the row locks until its end.
class Transaction {
 public:
  // `rows`: all of kTables that the change reads or writes. `store` and `locks` must outlive it.
  Transaction(Store* store, RowLocks* locks, absl::Span<const std::string_view> rows)
      : guard_(locks->Lock(rows)), local_(store->local()), reads_(store) {
    if (local_ == nullptr) BeginShared(store->shared());
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  // Of a LocalStore, where no commit is aborted and nobody else writes; otherwise nullptr.
  LocalStore* local() const { return local_; }

  // The rows without the transaction's own changes. In a LocalStore only rows that are locked stay
  // as they were read. Errors: kAborted, as Commit's; the store's.
  const ReadView& reads() const { return *reads_; }
  absl::StatusOr<bool> Get(Family family, std::string_view key, Row* row) const {
    return reads_->Get(family, key, row);
  }

  // Without a read: the commit is aborted unless the row then has that value (nullopt: unless there
  // is none). In a LocalStore nothing: requires there that nobody else changes that row.
  void Expect(Family family, std::string_view key, std::optional<std::string_view> value) const {
    if (local_ == nullptr) attempt_->Expect(family, key, value);
  }

  // As Attempt::PutStamped. Requires: not in a LocalStore.
  absl::Status PutStamped(Family family, std::string_view key, uint16_t place,
                          std::string_view value) const {
    return attempt_->PutStamped(family, key, place, value);
  }

  // The same unless there is a row then. False: it has to be read. Requires: not local().
  bool ExpectPresent(Family family, std::string_view key) {
    return attempt_->ExpectPresent(family, key);
  }

  // Applies the batch. Without changes it only confirms what was read. Call it once, last. Errors:
  // kAborted: nothing is changed, and the transaction is to be run again, from a new beginning;
  // otherwise Store::Commit's.
  absl::Status Commit(const WriteBatch& batch) {
    if (local_ == nullptr) return shared_->CommitAttempt(attempt_.get(), batch);
    return local_->Commit(batch);
  }

 private:
  void BeginShared(SharedStore* store);

  const RowLocks::Guard guard_;
  LocalStore* const local_;
  SharedStore* shared_ = nullptr;
  const ReadView* reads_;
  std::unique_ptr<Attempt> attempt_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_TRANSACTION_TRANSACTION_H_
