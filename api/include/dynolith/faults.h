// Fault injection: makes the failures that a client must handle happen when a test wants them.
//
//   // The third PutItem of a song by Ray is executed, but its answer is lost.
//   database->AddFault({.fault = FaultKind::kAnswerLost,
//                       .operation = "PutItem",
//                       .table = "songs",
//                       .key = {{"artist", Value::S("Ray")}},
//                       .nth = 3});
//
// A fault that prevents a call prevents all of its effects. The same rules with the same seeds,
// asked in the same order, give the same faults again.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_FAULTS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_FAULTS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "engine/value/item.h"

namespace dynolith {

enum class FaultKind : uint8_t {
  // The table's exception for too many requests, with reasons; in a batch, matching keys are left
  // unprocessed, unless all match; a transaction is cancelled.
  kThrottle,
  kInternalError,  // InternalServerError, 500
  kUnavailable,    // ServiceUnavailable, 503
  // The call is executed at once, its answer comes later. Real time, whatever the clock is.
  kLatency,
  // The call is not executed, and the connection is closed without an answer: a C++ program gets
  // absl::StatusCode::kUnavailable.
  kDroppedConnection,
  // BatchGetItem and BatchWriteItem leave the matching keys unprocessed, or a share of them.
  kPartialBatch,
  // A single write gets TransactionConflictException; a transaction is cancelled.
  kTransactionConflict,
  // The call is executed, then the connection is closed without an answer: as above.
  kAnswerLost,
};

// Which calls fail, and how. An absent or empty member matches everything.
struct FaultRule {
  FaultKind fault = FaultKind::kThrottle;
  std::optional<std::string> operation;  // "PutItem"
  std::optional<std::string> table;      // its name
  // Attributes of an item's key, or some of them, with their values: of a single item, of any item
  // in a batch or a transaction, and of those that a PartiQL statement writes or fixes by `=`.
  Item key;

  // Only the nth matching call since the rule was added, counted from 1; 0: every one.
  int64_t nth = 0;
  // The probability with which a matching call is hit, above 0 to 1, drawn from the seed.
  double probability = 1;
  uint64_t seed = 0;

  // For kLatency, and above 0 there: at most 15 minutes.
  absl::Duration latency;
  // For kPartialBatch: the share of the matching keys that is left unprocessed, above 0 to 1, at
  // random.
  double share = 1;

  // For kThrottle, kInternalError and kUnavailable: the time that a client shall wait before it
  // retries, in the answer's header x-amz-retry-after, in whole milliseconds; 0: no such header.
  absl::Duration retry_after;

  // The rule's end: after so many hits (0: never), or after so long on the database's clock.
  int64_t hits_max = 0;
  absl::Duration lifetime = absl::InfiniteDuration();
};

// A rule and its effects so far.
struct FaultReport {
  int64_t id = 0;  // from 1, never reused
  FaultRule rule;
  int64_t matches = 0;  // calls
  int64_t hits = 0;     // of them; the others were spared
  absl::Time expires = absl::InfiniteFuture();
  bool expired = false;  // it has no effect any more, but its counts remain
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_FAULTS_H_
