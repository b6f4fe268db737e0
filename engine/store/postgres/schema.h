// What a store has in its database, and who makes, checks and changes it.
//
// All of it is in the schema "dynolith":
//   version(number integer)                 ; one row; append only: steps from each to the next
//   meta, tables, gsi, lsi, log, expiry     ; a family each:
//     (key bytea PRIMARY KEY, value bytea NOT NULL)   ; bytea is ordered as memcmp orders
//   commits(number bigint)              ; one row, the last stamp; only with StampSource::kCounter
// Keys and values: version 1: the rows' own; version 2: in the form of limits/long_rows.h, whose
// keys are cut behind 1,290 bytes.
#ifndef DYNOLITH_ENGINE_STORE_POSTGRES_SCHEMA_H_
#define DYNOLITH_ENGINE_STORE_POSTGRES_SCHEMA_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/store/postgres/address.h"
#include "engine/store/postgres/connection.h"

namespace dynolith::postgres {

inline constexpr int kSchemaVersion = 2;
// A connection to a store that this program can use, which takes calls. Errors: Connection::Open's;
// kNotFound: there is no store; kPermissionDenied; kFailedPrecondition: a store of another version,
// or a primary that was replaced.
absl::StatusOr<std::unique_ptr<Connection>> OpenStoreConnection(SharedState* shared,
                                                                bool reads_only);

// Makes the schema, in one transaction, and gives `grant_to` (empty: nobody) what a server's role
// needs. `stamps`: nullopt chooses by the server. Returns which was chosen. kAlreadyExists: there
// is one.
absl::StatusOr<StampSource> InitStore(const std::string& url, const std::string& grant_to,
                                      std::optional<StampSource> stamps = std::nullopt);
// For a server that says this by "SELECT version()": transaction ids of PostgreSQL itself, whose
// pg_snapshot_xmin says which of them have ended; a counter of others that speak its protocol.
StampSource StampsOfServer(std::string_view version);
// Brings the schema to this program's version, in one transaction; returns the version before.
// kFailedPrecondition: it is newer, or somebody else is connected to it.
absl::StatusOr<int> UpgradeStore(const std::string& url);
// What is to be known of a store that this program can use, a line each. Errors: why it cannot.
absl::StatusOr<std::vector<std::string>> CheckStore(const std::string& url);

}  // namespace dynolith::postgres

#endif  // DYNOLITH_ENGINE_STORE_POSTGRES_SCHEMA_H_
