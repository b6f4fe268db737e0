// The rate of calls that are not about items (api/facts/capacity.md §6): one for the whole account,
// on the database's clock.
#ifndef DYNOLITH_API_REQUEST_CONTROL_LIMIT_H_
#define DYNOLITH_API_REQUEST_CONTROL_LIMIT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "dynolith/control_rates.h"
#include "engine/base/clock.h"
#include "engine/partition/tokens.h"

namespace dynolith {

// The rates to which calls belong.
enum class ControlCall : uint8_t { kChange, kDescription, kStreamDescription };

// nullopt: it is about items or records of a stream, or has no limit. `operation`: its name on the
// wire.
constexpr std::optional<ControlCall> ControlCallForOperation(std::string_view operation) {
  for (const std::string_view other :
       {"GetItem", "PutItem", "UpdateItem", "DeleteItem", "BatchGetItem", "BatchWriteItem",
        "TransactGetItems", "TransactWriteItems", "Query", "Scan", "SearchVectors",
        "ExecuteStatement", "BatchExecuteStatement", "ExecuteTransaction", "GetRecords",
        "GetShardIterator", "DescribeEndpoints"}) {
    if (operation == other) return std::nullopt;
  }
  if (operation == "DescribeStream") return ControlCall::kStreamDescription;
  const bool tells = operation.starts_with("Describe") || operation.starts_with("List") ||
                     operation.starts_with("Get");
  return tells ? ControlCall::kDescription : ControlCall::kChange;
}

// An operation's name on the wire, and the rate of its calls.
struct CallName {
  // NOLINTNEXTLINE(google-explicit-constructor): a name is a name.
  consteval CallName(const char* name) : text(name), control(ControlCallForOperation(text)) {}

  std::string_view text;
  std::optional<ControlCall> control;
};

// Thread-safe.
class ControlLimit {
 public:
  // `clock` must outlive this.
  ControlLimit(const ControlRates& rates, const Clock* clock);

  // Counts a call. Errors: ThrottlingException if it exceeds the rate; it is not counted then.
  absl::Status Admit(ControlCall call) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  const Clock* const clock_;
  absl::Mutex mutex_;
  // By ControlCall; nullopt: no limit.
  std::array<std::optional<TokenBucket>, 3> calls_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith

#endif  // DYNOLITH_API_REQUEST_CONTROL_LIMIT_H_
