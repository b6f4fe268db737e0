// The attempts of a commit in a store that other processes change as well: what each of them
// presumes of the old items instead of reading them, how it reads the others, and what it expects.
//
// The first attempt presumes what saves the round trip of a read: what a condition on the key alone
// asks for, and what the process believes to be in the row (row_beliefs.h), unless another write
// has to read anyway. The commit expects all of it. If one of them was wrong, a single write reads
// its item by a read of its own, which is an answer by itself if the condition fails; otherwise the
// commit expects what was read. Further attempts read in their transactions.
#ifndef DYNOLITH_API_WRITE_SHARED_ATTEMPTS_H_
#define DYNOLITH_API_WRITE_SHARED_ATTEMPTS_H_

#include <cstdint>
#include <vector>

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
      : context_(context),
        writes_(writes),
        tickets_(context.row_beliefs == nullptr ? 0 : writes.size()) {}

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
  // What was believed of a write's old item.
  struct Believed {
    size_t write = 0;
    Row row;
  };

  // Each belief is a statement of the commit, in some stores.
  static constexpr size_t kBeliefsMax = 8;

  Kind KindOfNext();
  bool MayPresume(const RowWrite& write) const;
  void Presume(Transaction* transaction, absl::Span<RowOutcome> outcomes);
  // Takes the old items for what the process believes, if that saves the read.
  void Believe(absl::Span<RowOutcome> outcomes);
  // What an aborted attempt has believed is kept, and compared with what is read.
  void KeepBelieved(absl::Span<RowOutcome> outcomes);
  void JudgeBelieved(absl::Span<const RowOutcome> outcomes);
  // The item is as the attempt knows it.
  void LearnOld(size_t i, const RowOutcome& outcome);

  const OperationContext& context_;
  const absl::Span<const RowWrite> writes_;
  int attempts_ = 0;
  Kind kind_ = Kind::kPresumes;
  bool has_presumed_ = false;
  RowBeliefs::Tables believed_tables_ = 0;  // of the first attempt
  std::vector<Believed> believed_;
  absl::InlinedVector<RowBeliefs::Ticket, 4> tickets_;  // of each write; empty: there are none
};

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_SHARED_ATTEMPTS_H_
