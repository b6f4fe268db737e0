// The address of a store: a URL as libpq reads it.
#ifndef DYNOLITH_ENGINE_STORE_POSTGRES_ADDRESS_H_
#define DYNOLITH_ENGINE_STORE_POSTGRES_ADDRESS_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/store/postgres/libpq.h"

namespace dynolith::postgres {

// How long is waited for a store that does not answer, by itself; all of it together ends with the
// thread's Patience.
struct Waits {
  absl::Duration statement = absl::Seconds(5);   // in the server
  absl::Duration pipeline = absl::Seconds(6);    // all of its statements, here
  absl::Duration connection = absl::Seconds(5);  // for one that others use, or that nobody gets
};

// What numbers the commits that have stamped rows (transaction/stamp.h). Chosen when a store is
// made, for good: numbers of the one and of the other have no order.
enum class StampSource : uint8_t {
  kTransactionIds,  // PostgreSQL's own
  kCounter,         // the row of dynolith.commits; those commits are one after the other
};

// What all connections to one store share. Thread-safe.
struct SharedState {
  Waits waits;
  const Libpq* libpq = nullptr;
  std::string url;
  std::string options;  // of the URL, for sessions
  std::string place;    // hosts, port and database, for messages
  // The latest that was seen. A primary that was replaced has an earlier one.
  std::atomic<int> timeline = 0;
  // Known with the first connection to the store.
  std::atomic<StampSource> stamps = StampSource::kTransactionIds;
  // Not 0: a pipeline was not answered in time, and none was since. Until that time (nanoseconds
  // since 1970) others fail at once; then one tries, for a short time.
  std::atomic<int64_t> slow_until = 0;
};

// Loads libpq and reads the URL, without a connection. kInvalidArgument: it is none;
// kFailedPrecondition: there is no libpq.
absl::StatusOr<std::unique_ptr<SharedState>> ReadAddress(const std::string& url);

}  // namespace dynolith::postgres

#endif  // DYNOLITH_ENGINE_STORE_POSTGRES_ADDRESS_H_
