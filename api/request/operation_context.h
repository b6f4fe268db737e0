// The context of every operation: borrowed parts of one open database. It has no state of its own,
// so a test can make one from a store and a catalog.
#ifndef DYNOLITH_API_REQUEST_OPERATION_CONTEXT_H_
#define DYNOLITH_API_REQUEST_OPERATION_CONTEXT_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "dynolith/table_delays.h"
#include "engine/base/clock.h"
#include "engine/catalog/catalog.h"
#include "engine/model/request_violations.h"
#include "engine/store/row_locks.h"
#include "engine/store/store.h"

namespace dynolith {

class AccessObserver;
class BackfillRunner;
class BulkTransfer;
class CallGate;
class ConflictTable;
class ControlLimit;
class ExpiryIndex;
class FaultRules;
class History;
class IdempotencyTokens;
class RegionPeers;
class ReplicaLog;
class RowBeliefs;
class StaleReads;
class StreamLog;
class TransferRunner;
class VectorGraphs;
class WorkAllowance;

// The elements of a batch that a fault leaves out, by address in the request.
struct LeftOutElements {
  std::vector<const void*> elements;
  // The answer to a statement; for keys and writes, which are unprocessed, one that IsThrottled.
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
  // nullptr: changes are not recorded, whatever the tables' metadata say.
  StreamLog* streams = nullptr;
  // nullptr: no sweeps.
  ExpiryIndex* expiry = nullptr;
  // The history of tables with point-in-time recovery. nullptr: changes are not recorded, whatever
  // the tables' metadata say.
  History* history = nullptr;
  // The destination of exports and the source of imports; nullptr: there are no buckets.
  BulkTransfer* transfers = nullptr;
  TransferRunner* transfer_runner = nullptr;
  // Separate from the other transfers, since a bulk put may have a limited rate.
  TransferRunner* bulk_put_runner = nullptr;
  // Chooses the state that an eventually consistent read sees; nullptr: always the newest.
  StaleReads* staleness = nullptr;
  // What is believed to be in rows of items; nullptr: in a store of this process alone it is known.
  RowBeliefs* row_beliefs = nullptr;
  // The graphs of approximate vector searches; nullptr: searches compare every vector.
  VectorGraphs* vector_graphs = nullptr;
  TableDelays delays;
  // Whether somebody sends what tables' Kinesis destinations are to get (tools/server/kinesis).
  bool sends_to_kinesis = false;
  // Whether the charge of an UpdateExpression has the limit of an item, too.
  bool charges_updates = true;
  // Of the request that is being answered; never nullptr. A reader that has found violations makes
  // a context of its own for the call; work that continues after an answer keeps no such context,
  // since its requests have no attribute values.
  const RequestViolations* violations = &RequestViolations::None();
  // The work that the call may do on its thread (call_bounds.h); nullptr: unlimited.
  WorkAllowance* allowance = nullptr;
  // The rules of fault injection; nullptr: none.
  FaultRules* fault_rules = nullptr;
  // For calls that are not about items; nullptr: unlimited.
  ControlLimit* control_limit = nullptr;
  // For the batch that is being answered; nullptr: nothing is left out.
  const LeftOutElements* left_out = nullptr;
  // Through which calls go on a database that follows another process's; nullptr: it follows none.
  CallGate* gate = nullptr;
  // The version of the catalog before the call has looked up its tables: its reads check that the
  // store has no newer one (current_tables.h). nullopt: they check nothing, as in a store whose
  // tables nobody else changes.
  std::optional<uint64_t> known_tables;
  // The changes of global tables that go to other regions; nullptr: none are recorded, whatever the
  // tables' metadata say.
  ReplicaLog* replica_log = nullptr;
  // The other regions' databases; nullptr: this is the only region.
  RegionPeers* peers = nullptr;
  // Is told of every access of a table or an index; nullptr: none.
  AccessObserver* observer = nullptr;
  // Set when the process ends, from any thread: long operations fail soon then. Never nullptr.
  const std::atomic<bool>* interrupted = &kNeverInterrupted;
  static constexpr std::atomic<bool> kNeverInterrupted{false};
  // Parts of the ARNs that descriptions show.
  std::string region;
  std::string account_id;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_REQUEST_OPERATION_CONTEXT_H_
