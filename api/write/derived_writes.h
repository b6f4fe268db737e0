// What goes with the changes of one commit: the rows of indexes, streams, expiry, history and
// replicas.
#ifndef DYNOLITH_API_WRITE_DERIVED_WRITES_H_
#define DYNOLITH_API_WRITE_DERIVED_WRITES_H_

#include <vector>

#include "absl/status/status.h"
#include "api/request/operation_context.h"
#include "api/write/planned_write.h"
#include "engine/catalog/row_follower.h"
#include "engine/history/history.h"
#include "engine/replica/replica_log.h"
#include "engine/store/transaction/transaction.h"
#include "engine/stream/stream_log.h"
#include "engine/ttl/expiry_index.h"
#include "index/maintain.h"

namespace dynolith {

// Writes that derive from the changes of one commit, each with the rows of one feature.
class DerivedWrites {
 public:
  // `is_again`: the attempt is not the first one.
  DerivedWrites(const OperationContext& context, const Transaction* transaction, bool is_again)
      : expiry_(context.expiry),
        history_(context.history, transaction->local() == nullptr ? transaction : nullptr,
                 is_again),
        stream_(context.streams, transaction),
        replicas_(context.replica_log) {}

  // Returns whether changes of the table's rows have derived writes.
  static bool Concern(const TableMeta& meta) {
    return AnyConcerned<IndexMaintainer, ExpiryMaintainer, HistoryRecorder, StreamRecorder,
                        ReplicaRecorder>(meta);
  }

  absl::Status Append(const RowChange& change, WriteBatch* batch) {
    return AppendEach(change, batch, &indexes_, &expiry_, &history_, &stream_);
  }

  // What replicas need of a write, which may have left the item as it was.
  absl::Status AppendVersion(const RowWrite& write, const RowChange& change, WriteBatch* batch) {
    if (write.replicated == nullptr) return replicas_.Append(change, batch);
    replicas_.AppendReceived(change, *write.replicated, batch);
    return absl::OkStatus();
  }

  // The cost of the changes since the last call for the indexes.
  std::vector<IndexWork> TakeIndexWork() { return indexes_.TakeWork(); }

 private:
  template <RowFollower... Each>
  static bool AnyConcerned(const TableMeta& meta) {
    return (Each::Concerns(meta) || ...);
  }

  template <RowFollower... Each>
  static absl::Status AppendEach(const RowChange& change, WriteBatch* batch, Each*... each) {
    absl::Status status;
    const auto append = [&](auto* follower) {
      if (follower->Concerns(change.meta)) status = follower->Append(change, batch);
      return status.ok();
    };
    static_cast<void>((append(each) && ...));
    return status;
  }

  IndexMaintainer indexes_;
  ExpiryMaintainer expiry_;
  HistoryRecorder history_;
  StreamRecorder stream_;
  ReplicaRecorder replicas_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_DERIVED_WRITES_H_
