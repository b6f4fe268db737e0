// A store in memory that several databases share as if each were a process of its own, and which
// does to them all that a distributed store may do: it aborts transactions, loses answers of
// commits, applies a commit whose answer is lost later or never, applies commits in another order
// than that of their stamps where they do not depend on each other, ends snapshots, delays reads,
// and has FoundationDB's limits. What it never does is to break what it promises (SharedStore).
#ifndef DYNOLITH_TESTS_HOSTILE_HOSTILE_STORE_H_
#define DYNOLITH_TESTS_HOSTILE_HOSTILE_STORE_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "engine/store/transaction/shared_store.h"

namespace dynolith::hostile {

// Shares of all events.
struct HostileOptions {
  uint64_t seed = 1;
  double aborted = 0.1;    // commits, for no reason
  double lost = 0.1;       // answers of commits, a third each: applied, not applied, applied later
  double ended = 0.02;     // reads that find their snapshot ended
  double delayed = 0.0;    // reads and commits that take a while
  double overtaken = 0.2;  // commits with stamps that let others with greater ones pass
  StoreLimits limits = {.key_bytes = 10'000,
                        .value_bytes = 100'000,
                        .batch_bytes = 10'000'000,
                        .transaction_time = absl::Seconds(5)};
};

// How often it did what.
struct HostileCounts {
  int64_t commits = 0;  // that took effect
  int64_t conflicts = 0;
  int64_t aborted = 0;
  int64_t lost = 0;
  int64_t late = 0;  // commits that took effect after their answers were lost
  int64_t ended = 0;
  int64_t overtaken = 0;
  int64_t refused = 0;
};

// The rows. Thread-safe.
class HostileRows;

std::shared_ptr<HostileRows> MakeHostileRows(const HostileOptions& options);
HostileCounts CountsOf(HostileRows* rows);
// The reads, parts of scans and commits for which the calling thread has waited, in all stores.
int64_t& RoundTripsOfThread();
// From now on commits that change rows of that family are kUnavailable; nullopt: none are.
void Refuse(HostileRows* rows, std::optional<Family> family);
// From now on it does no harm: for checks of what there is in the end.
void Calm(HostileRows* rows);

// The store of one more process.
std::unique_ptr<SharedStore> OpenHostileStore(std::shared_ptr<HostileRows> rows);

}  // namespace dynolith::hostile

#endif  // DYNOLITH_TESTS_HOSTILE_HOSTILE_STORE_H_
