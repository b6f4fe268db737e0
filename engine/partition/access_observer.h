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
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PARTITION_ACCESS_OBSERVER_H_
