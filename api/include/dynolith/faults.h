// Faults on purpose: what a client has to live with, when a test wants it to happen.
//
//   // The third PutItem of a song by Ray is done, but nobody hears of it.
//   database->AddFault({.fault = FaultKind::kAnswerLost,
//                       .operation = "PutItem",
//                       .table = "songs",
//                       .key = {{"artist", Value::S("Ray")}},
//                       .nth = 3});
//
// What a fault leaves undone, it leaves wholly undone. The same rules with the same seeds, asked in
// the same order, give the same faults again.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_FAULTS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_FAULTS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "engine/value/item.h"

namespace dynolith {

enum class FaultKind : uint8_t {
  // The table's exception for too many requests, with reasons; of a batch, the keys that match are
  // left unprocessed, unless all match; of a transaction, it is cancelled.
  kThrottle,
  kInternalError,  // InternalServerError, 500
  kUnavailable,    // ServiceUnavailable, 503
  // The call is done at once, its answer comes later. Real time, whatever the clock is.
  kLatency,
  // Nothing is done, and the connection is closed without an answer: a C++ program gets
  // absl::StatusCode::kUnavailable.
  kDroppedConnection,
  // BatchGetItem and BatchWriteItem leave the keys that match unprocessed, or a share of them.
  kPartialBatch,
  // Of a single write TransactionConflictException; of a transaction, it is cancelled.
  kTransactionConflict,
  // The call is done, then the connection is closed without an answer: as above.
  kAnswerLost,
};

// Which calls, and what becomes of them. What is absent or empty matches everything.
struct FaultRule {
  FaultKind fault = FaultKind::kThrottle;
  std::optional<std::string> operation;  // "PutItem"
  std::optional<std::string> table;      // its name
  // Attributes of an item's key, or some of them, with the values that they have: of a single item,
  // of any in a batch or a transaction, and of what a PartiQL statement writes or fixes by `=`.
  Item key;

  // Of the calls that match: only the nth since the rule was added, counted from 1; 0: every one.
  int64_t nth = 0;
  // How often one that matches is hit, above 0 to 1, by lot from the seed.
  double probability = 1;
  uint64_t seed = 0;

  // Of kLatency, and above 0 there: at most 15 minutes.
  absl::Duration latency;
  // Of kPartialBatch: how many of the keys that match are left unprocessed, above 0 to 1, by lot.
  double share = 1;

  // Of kThrottle, kInternalError and kUnavailable: how long a client shall wait before it tries
  // again, as the answer's header x-amz-retry-after says it, in whole milliseconds; 0: there is no
  // such header.
  absl::Duration retry_after;

  // When it ends by itself: after so many hits (0: never), or after so long on the database's
  // clock.
  int64_t hits_max = 0;
  absl::Duration lifetime = absl::InfiniteDuration();
};

// A rule and what it has done.
struct FaultReport {
  int64_t id = 0;  // from 1, never used again
  FaultRule rule;
  int64_t matches = 0;  // calls
  int64_t hits = 0;     // of them; the others were spared
  absl::Time expires = absl::InfiniteFuture();
  bool expired = false;  // it does nothing any more, but what it did can be seen
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_FAULTS_H_
