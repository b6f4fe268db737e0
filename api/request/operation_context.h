// What every operation works on: borrowed parts of one open database. Holding no state of its own,
// it can be made in a test from a store and a catalog.
#ifndef DYNOLITH_API_REQUEST_OPERATION_CONTEXT_H_
#define DYNOLITH_API_REQUEST_OPERATION_CONTEXT_H_

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "dynolith/table_delays.h"
#include "engine/base/clock.h"
#include "engine/catalog/catalog.h"
#include "engine/model/request_faults.h"
#include "engine/store/row_locks.h"
#include "engine/store/store.h"

namespace dynolith {

class AccessObserver;
class BackfillRunner;
class BulkTransfer;
class ConflictTable;
class ControlLimit;
class ExpiryIndex;
class FaultRules;
class History;
class IdempotencyTokens;
class StaleReads;
class StreamLog;
class TransferRunner;
class VectorGraphs;
class WorkAllowance;

// What a fault leaves undone of a batch: elements of the request, by address.
struct LeftOutElements {
  std::vector<const void*> elements;
  // The answer to a statement; of keys and writes, which are unprocessed, one that IsThrottled.
  absl::Status why;
  bool Has(const void* element) const {
    return std::find(elements.begin(), elements.end(), element) != elements.end();
  }
};

// All pointers outlive the operation and are set unless they say otherwise.
struct OperationContext {
  Store* store = nullptr;
  Catalog* catalog = nullptr;
  RowLocks* locks = nullptr;
  BackfillRunner* backfills = nullptr;  // nullptr in a read-only store
  const Clock* clock = nullptr;
  IdempotencyTokens* tokens = nullptr;
  // nullptr: overlapping writes wait for each other instead of failing.
  ConflictTable* conflicts = nullptr;
  // nullptr: changes are not recorded, whatever tables say of their streams.
  StreamLog* streams = nullptr;
  // nullptr: nobody sweeps.
  ExpiryIndex* expiry = nullptr;
  // What has become of the items of tables with point-in-time recovery. nullptr: changes are not
  // recorded, whatever tables say.
  History* history = nullptr;
  // Where exports go to and imports come from; nullptr: there are no buckets.
  BulkTransfer* transfers = nullptr;
  TransferRunner* transfer_runner = nullptr;
  // Apart from the other transfers, since a bulk put may be told to take its time.
  TransferRunner* bulk_put_runner = nullptr;
  // Chooses the state that an eventually consistent read sees; nullptr: always the newest.
  StaleReads* staleness = nullptr;
  // Through which searches of vectors look for what is near; nullptr: they compare every vector.
  VectorGraphs* vector_graphs = nullptr;
  TableDelays delays;
  // Whether what an UpdateExpression writes has the limit of an item, too.
  bool charges_updates = true;
  // Of the request that is being answered; never nullptr. A reader that has found any makes a
  // context of its own for the call; what goes on behind an answer keeps no such context, since its
  // requests have no attribute values.
  const RequestFaults* faults = &RequestFaults::None();
  // What the call may do where it runs (call_bounds.h); nullptr: whatever it takes.
  WorkAllowance* allowance = nullptr;
  // What is to go wrong on purpose; nullptr: nothing.
  FaultRules* fault_rules = nullptr;
  // Of calls that are not about items; nullptr: as many as come.
  ControlLimit* control_limit = nullptr;
  // Of the batch that is being answered; nullptr: nothing is left out.
  const LeftOutElements* left_out = nullptr;
  // Is told of every access of a table or an index; nullptr: nobody is.
  AccessObserver* observer = nullptr;
  // Set when the process ends, from any thread: what takes long fails soon then. Never nullptr.
  const std::atomic<bool>* interrupted = &kNeverInterrupted;
  static constexpr std::atomic<bool> kNeverInterrupted{false};
  // Parts of the ARNs that descriptions show.
  std::string region;
  std::string account_id;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_REQUEST_OPERATION_CONTEXT_H_
