// The interface that is told of every single access of tables and indexes: a trace.
#ifndef DYNOLITH_ENGINE_PARTITION_ACCESS_OBSERVER_H_
#define DYNOLITH_ENGINE_PARTITION_ACCESS_OBSERVER_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/types/span.h"
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

class AccessObserver {
 public:
  virtual ~AccessObserver() = default;

  // Accesses that were charged or refused together, called by the thread that works for the
  // request. Thread-safe. It is called on every request's path, so it must not wait.
  virtual void NoteAccesses(absl::Span<const ObservedAccess> accesses) = 0;

  // Around a call that this thread works for: accesses noted between them belong together. Calls do
  // not nest. `given_up`: nothing has been done, and the call will be repeated.
  virtual void BeginCall(std::string_view /*operation*/) {}
  virtual void EndCall(bool /*given_up*/) {}
};

// A running call.
class ObservedCall {
 public:
  // `observer` may be nullptr: none. `operation`: "PutItem".
  ObservedCall(AccessObserver* observer, std::string_view operation) : observer_(observer) {
    if (observer_ != nullptr) observer_->BeginCall(operation);
  }
  ~ObservedCall() {
    if (observer_ != nullptr) observer_->EndCall(given_up_);
  }
  ObservedCall(const ObservedCall&) = delete;
  ObservedCall& operator=(const ObservedCall&) = delete;

  void GiveUp() { given_up_ = true; }

 private:
  AccessObserver* const observer_;
  bool given_up_ = false;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PARTITION_ACCESS_OBSERVER_H_
