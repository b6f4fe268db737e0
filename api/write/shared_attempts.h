// The attempts of a commit in a store that other processes change as well: what each of them
// presumes of the old items instead of reading them, how it reads the others, and what it expects.
//
// The first attempt presumes what saves the round trip of a read: what a condition on the key alone
// asks for, and what the process believes to be in the row (row_beliefs.h). The commit expects all
// of it. If one of them was wrong, a single write reads its item by a read of its own, which is an
// answer by itself if the condition fails; otherwise the commit expects what was read. Further
// attempts read in their transactions.
#ifndef DYNOLITH_API_WRITE_SHARED_ATTEMPTS_H_
#define DYNOLITH_API_WRITE_SHARED_ATTEMPTS_H_

#include <cstdint>
#include <string_view>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "api/request/operation_context.h"
#include "api/write/planned_write.h"
#include "engine/store/transaction/row_beliefs.h"
#include "engine/store/transaction/transaction.h"

namespace dynolith {

// Of one call of Execute. The functions are called in this order, with the attempt's transaction,
// and only in a SharedStore.
class SharedAttempts {
 public:
  // Borrows both.
  SharedAttempts(const OperationContext& context, absl::Span<const RowWrite> writes)
      : context_(context), writes_(writes) {}

  // Begins an attempt with empty outcomes. Errors: the store's.
  absl::Status Begin(Transaction* transaction, absl::Span<RowOutcome> outcomes);
  // Whether the attempt that has begun is not the first one.
  bool is_again() const { return attempts_ > 1; }
  // Fills in the old items.
  absl::Status ReadOld(const Transaction& transaction, absl::Span<RowOutcome> outcomes);
  // The attempt ends without changes, since something was refused: what that depends on must have
  // been so. Errors: kAborted: it was not.
  absl::Status Confirm(Transaction* transaction, absl::Span<const RowOutcome> outcomes);
  // Before the commit of changes.
  absl::Status ExpectRead(const Transaction& transaction, absl::Span<const RowOutcome> outcomes);
  // The changes are committed.
  void NoteCommitted(absl::Span<const RowOutcome> outcomes);

 private:
  enum class Kind : uint8_t { kPresumes, kReadsAlone, kReads };

  void Presume(Transaction* transaction, absl::Span<RowOutcome> outcomes);
  // Whether the old item is taken for what the process believes. Not `must_read`: it is not needed.
  bool IsBelieved(size_t i, bool must_read, Transaction* transaction, RowOutcome* outcome);
  Kind KindOfNext();

  const OperationContext& context_;
  const absl::Span<const RowWrite> writes_;
  int attempts_ = 0;
  Kind kind_ = Kind::kPresumes;
  bool has_presumed_ = false;
  bool has_believed_ = false;
  absl::InlinedVector<RowBeliefs::Ticket, 4> tickets_;  // of each write; empty: there are none
};

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_SHARED_ATTEMPTS_H_
