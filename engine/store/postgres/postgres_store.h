// A store of several processes on PostgreSQL.
#ifndef DYNOLITH_ENGINE_STORE_POSTGRES_POSTGRES_STORE_H_
#define DYNOLITH_ENGINE_STORE_POSTGRES_POSTGRES_STORE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "engine/store/postgres/address.h"
#include "engine/store/transaction/shared_store.h"

namespace dynolith {

struct PostgresOptions {
  // As libpq reads it: postgresql://user@host,host/database?sslmode=verify-full.
  std::string url;
  // The most connections for transactions, and as many for reads; a fourth of that for snapshots.
  int connections_max = 12;
  postgres::Waits waits = {};
};

class PostgresStore {
 public:
  PostgresStore() = delete;

  // The store, with keys and values of any length (limits/). Thread-safe. Errors: kInvalidArgument:
  // no such URL; kFailedPrecondition: no libpq, or a store of another version; kNotFound: the
  // database holds no store; kPermissionDenied; kUnavailable: the server cannot be reached.
  // `stamps`, if not nullptr, gets what numbers the store's commits.
  static absl::StatusOr<std::unique_ptr<SharedStore>> Open(const PostgresOptions& options,
                                                           postgres::StampSource* stamps = nullptr);

  // Hosts, port and database of the URL, without a connection. Errors: as Open's.
  static absl::StatusOr<std::string> PlaceOf(const std::string& url);

  // Of all stores, by the calling thread: pipelines sent, each with one wait for its answers.
  static int64_t ThreadRoundTrips();
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_POSTGRES_POSTGRES_STORE_H_
