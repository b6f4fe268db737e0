// Who wants to know of every single access of tables and indexes: a trace.
#ifndef DYNOLITH_ENGINE_PARTITION_ACCESS_OBSERVER_H_
#define DYNOLITH_ENGINE_PARTITION_ACCESS_OBSERVER_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/types/span.h"
#include "engine/key/schema.h"
#include "engine/partition/table_throughput.h"

namespace dynolith {

// What an operation has used of a table, or of one of its global indexes. Borrows.
struct ObservedAccess {
  const ThroughputUse* use = nullptr;  // with its named key, if it is of one, else its position
  const TableSchema* table = nullptr;
  const IndexSchema* index = nullptr;  // nullptr: the table, with its local indexes
  bool on_demand = true;
  PerKind<int64_t> units;                // provisioned, a second
  std::optional<ThroughputLimit> limit;  // that kept it out; then it has cost nothing
};

class AccessObserver {
 public:
  virtual ~AccessObserver() = default;

  // Accesses that were charged or refused together, by the thread that works for the request.
  // Thread-safe. Is called on every request's way, so it must not wait.
  virtual void NoteAccesses(absl::Span<const ObservedAccess> accesses) = 0;

  // Around a call that this thread works for: what is noted meanwhile belongs together. Calls do
  // not lie within each other. `given_up`: nothing has been done, and it will be made again.
  virtual void BeginCall(std::string_view /*operation*/) {}
  virtual void EndCall(bool /*given_up*/) {}
};

// A call as long as it is under way.
class ObservedCall {
 public:
  // `observer` may be nullptr: nobody is told. `operation`: "PutItem".
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
