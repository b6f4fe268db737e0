// The endpoint's tables in a database of the proxy's own, which has no items: it knows keys,
// indexes and throughput, and so charges the model of partitions, hot keys and the trace with what
// calls have used.
#ifndef DYNOLITH_TOOLS_PROXY_MIRROR_H_
#define DYNOLITH_TOOLS_PROXY_MIRROR_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "api/faults/fault_rules.h"
#include "api/request/operation_context.h"
#include "api/service/named_databases.h"
#include "engine/base/errors.h"
#include "engine/partition/access_observer.h"
#include "tools/proxy/endpoint.h"
#include "tools/proxy/known_call.h"

namespace dynolith::proxy {

// A call that the endpoint has answered. Borrows.
struct AnsweredCall {
  std::string_view operation;
  const KnownCall* known = nullptr;
  const FaultCall* elements = nullptr;
  // Of a success: its ConsumedCapacity, a JSON value; empty: the endpoint has sent none.
  std::string_view capacity;
  std::optional<ErrorKind> error;
  // What a batch has left unprocessed: a JSON object by table; empty: nothing.
  std::string_view unprocessed;
};

// Of one table.
struct ThrottleCounts {
  uint64_t calls = 0;           // that were measured, or throttled
  uint64_t throttled = 0;       // by the endpoint, in whole or in part
  uint64_t would_throttle = 0;  // by the model
  uint64_t both = 0;
  uint64_t unmeasured = 0;  // calls of which the endpoint has not said what they used
};

// Thread-safe.
class Mirror {
 public:
  // Borrows all. `trace`: nullptr: none.
  Mirror(Endpoint* target, NamedDatabases* databases, AccessObserver* trace)
      : target_(target), databases_(databases), trace_(trace) {}

  // A state of the database, for a call.
  DatabaseInstance::Use Begin() const { return databases_->first().Begin(); }
  // Does not wait; nullopt instead.
  std::optional<DatabaseInstance::Use> TryBegin() const { return databases_->first().TryBegin(); }

  // Describes the table at the endpoint, if that has not been done for a while. Waits for the
  // answer.
  void Learn(std::string_view table) ABSL_LOCKS_EXCLUDED(mutex_);
  // The table has changed: it is described again before its next use.
  void Forget(std::string_view table) ABSL_LOCKS_EXCLUDED(mutex_);

  // The same number for the same item of a table; of all items whose key is not known, their
  // table's. May describe the table.
  uint64_t NumberOf(const CallElement& element) ABSL_LOCKS_EXCLUDED(mutex_);

  // Charges a call about items.
  void Observe(const AnsweredCall& call) ABSL_LOCKS_EXCLUDED(mutex_);

  std::map<std::string, ThrottleCounts> Counts() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // What is known of a table.
  struct Known {
    std::string definition;  // the input of CreateTable; empty: it could not be described
    absl::Time until;        // by the machine's clock
    bool is_asked = false;   // somebody is describing it
  };
  // The input of CreateTable for the endpoint's table; empty: there is none.
  std::string Describe(std::string_view table) const;
  void Remake(const std::string& table, const std::string& before, const std::string& after) const;

  Endpoint* const target_;
  NamedDatabases* const databases_;
  AccessObserver* const trace_;
  mutable absl::Mutex mutex_;
  std::map<std::string, Known, std::less<>> known_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, ThrottleCounts, std::less<>> counts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith::proxy

#endif  // DYNOLITH_TOOLS_PROXY_MIRROR_H_
