// The rules of fault injection, and their decision on a call. No call is affected here:
// faulty_call.h applies the decision.
#ifndef DYNOLITH_API_FAULTS_FAULT_RULES_H_
#define DYNOLITH_API_FAULTS_FAULT_RULES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "dynolith/faults.h"
#include "engine/base/clock.h"
#include "engine/process/forked_process.h"
#include "engine/value/item.h"

namespace dynolith {

// The behaviour of an operation, as far as faults depend on it.
enum class CallKind : uint8_t {
  kOther,
  kWrite,        // of one item
  kBatch,        // what is left out is unprocessed
  kStatements,   // a batch in which each statement has an answer of its own
  kTransaction,  // all or nothing
};

// One table, or one item of a table, that is a subject of a call.
struct CallElement {
  std::string table;
  ItemView item;                  // has the key's attributes; empty: of the table as a whole
  const void* address = nullptr;  // of the corresponding part of the request
};

// A call as the rules see it. Borrows from the request.
struct FaultCall {
  std::string_view operation;
  CallKind kind = CallKind::kOther;
  bool writes = false;  // items; of statements, whether any does
  // As in the request; for a transaction, one for each action.
  std::vector<CallElement> elements;
  std::deque<Item> items;  // the items of elements that are not items in the request
};

// A call of that operation, without elements.
FaultCall FaultCallForOperation(std::string_view operation);

struct FaultDecision {
  // The fault of the call, besides latency; nullopt: none.
  std::optional<FaultKind> fault;
  absl::Duration latency;
  absl::Duration retry_after;  // 0: not stated
  int64_t rule = 0;            // the last that has hit it; 0: none
  std::vector<size_t> struck;  // positions of the elements that `fault` hits
};

// Thread-safe.
class FaultRules {
 public:
  // Borrows the clock, by which rules expire.
  explicit FaultRules(const Clock* clock) : clock_(clock) {}

  // As Database::AddFault and so on.
  absl::StatusOr<int64_t> Add(const FaultRule& rule) ABSL_LOCKS_EXCLUDED(mutex_);
  bool Remove(int64_t id) ABSL_LOCKS_EXCLUDED(mutex_);
  void RemoveAll() ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<FaultReport> List() const ABSL_LOCKS_EXCLUDED(mutex_);

  // The process that opened its database: in its children no call is executed (WithFaults).
  const MakingProcess& process() const { return process_; }
  // Whether there may be a rule that has not expired. One relaxed load.
  bool any() const { return active_.load(std::memory_order_relaxed) != 0; }

  // Counts the call with each rule that is asked. O(rules × elements).
  FaultDecision Decide(const FaultCall& call) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // Ends the rules that have expired by `now`.
  void ExpireBy(absl::Time now) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Expire(FaultReport* report) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Makes room for one more. False: not possible.
  bool ForgetOldest() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const MakingProcess process_{};
  const Clock* const clock_;
  mutable std::atomic<size_t> active_{0};
  mutable absl::Mutex mutex_;
  // By id. Expiry is detected by the next look-up.
  mutable std::deque<FaultReport> reports_ ABSL_GUARDED_BY(mutex_);
  int64_t next_id_ ABSL_GUARDED_BY(mutex_) = 1;
};

// "throttle"; and back, nullopt if there is no such fault.
std::string_view FaultName(FaultKind fault);
std::optional<FaultKind> ParseFaultKind(std::string_view name);

}  // namespace dynolith

#endif  // DYNOLITH_API_FAULTS_FAULT_RULES_H_
