// The interface that is told of every single access of tables and indexes, and of what calls have
// met: for a trace, and for the service's metrics.
#ifndef DYNOLITH_ENGINE_PARTITION_ACCESS_OBSERVER_H_
#define DYNOLITH_ENGINE_PARTITION_ACCESS_OBSERVER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/base/errors.h"
#include "engine/key/schema.h"
#include "engine/partition/table_throughput.h"

namespace dynolith {

// An operation's use of a table, or of one of its global indexes. Borrows.
struct ObservedAccess {
  const ThroughputUse* use = nullptr;  // with its named key, if it has one, else its position
  const TableSchema* table = nullptr;
  const IndexSchema* index = nullptr;  // nullptr: the table, with its local indexes
  bool on_demand = true;
  PerKind<int64_t> units;                // provisioned, a second
  std::optional<ThroughputLimit> limit;  // the limit that refused it; then it has cost nothing
};

// How a call has ended.
struct ObservedEnd {
  bool given_up = false;  // nothing has been done, and the call will be repeated
  int http_status = 500;  // until it is known
  std::optional<ErrorKind> error;
  absl::Duration delay;  // of the answer, by fault injection
  absl::Time at;         // by the database's clock; absl::Time() of a call that has thrown
  std::string tables;    // of a call that failed: what it names, separated by commas
};

// What GetRecords has returned of a stream. Borrows.
struct ObservedStreamRead {
  std::string_view table;
  std::string_view stream_arn;
  int64_t records = 0;
  int64_t bytes = 0;
};

class AccessObserver {
 public:
  virtual ~AccessObserver() = default;

  // Accesses that were charged or refused together, called by the thread that works for the
  // request. Thread-safe. It is called on every request's path, so it must not wait.
  virtual void NoteAccesses(absl::Span<const ObservedAccess> accesses) = 0;

  // Around a call that this thread works for: what is noted between them belongs together. Calls do
  // not nest.
  virtual void BeginCall(std::string_view /*operation*/) {}
  virtual void EndCall(const ObservedEnd& /*end*/) {}

  // Within a call: what a page of Query, Scan or a SELECT has returned; a write, or a read of a
  // transaction, that has failed alone or among others; what was read of a stream.
  virtual void NoteReturnedItems(const TableSchema& /*table*/, int64_t /*items*/) {}
  virtual void NoteRowFailure(const TableSchema& /*table*/, ErrorKind /*error*/) {}
  virtual void NoteStreamRead(const ObservedStreamRead& /*read*/) {}

  // Outside of calls: items that have expired were deleted.
  virtual void NoteExpired(const TableSchema& /*table*/, int64_t /*items*/, absl::Time /*at*/) {}
};

// A running call.
class ObservedCall {
 public:
  // `observer` may be nullptr: none. `operation`: "PutItem".
  ObservedCall(AccessObserver* observer, std::string_view operation) : observer_(observer) {
    if (observer_ != nullptr) observer_->BeginCall(operation);
  }
  ~ObservedCall() {
    if (observer_ == nullptr) return;
    try {
      observer_->EndCall(end_);
    } catch (...) {
      // Without memory the call is not counted: that must not end the process.
      return;
    }
  }
  ObservedCall(const ObservedCall&) = delete;
  ObservedCall& operator=(const ObservedCall&) = delete;

  bool is_observed() const { return observer_ != nullptr; }
  void GiveUp() { end_.given_up = true; }
  // Requires: is_observed().
  ObservedEnd& end() { return end_; }

 private:
  AccessObserver* const observer_;
  ObservedEnd end_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PARTITION_ACCESS_OBSERVER_H_
