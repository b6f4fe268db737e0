#include "engine/store/postgres/schema.h"

#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/postgres/address.h"
#include "engine/store/postgres/connection.h"
#include "engine/store/postgres/messages.h"
#include "engine/store/postgres/statements.h"

namespace dynolith::postgres {
namespace {

constexpr std::string_view kVersionSql =
    "SELECT current_setting('server_version'), (SELECT number FROM dynolith.version), "
    "to_regclass('dynolith.commits')::text, ";
// In the text of "SELECT version()": YugabyteDB says "PostgreSQL 15.2-YB-2.25…", CockroachDB
// nothing of PostgreSQL.
constexpr std::string_view kPostgres = "PostgreSQL ";
constexpr std::string_view kYugabyte = "-YB-";
constexpr std::string_view kTimelineSql = "left(pg_walfile_name(pg_current_wal_lsn()), 8)";
constexpr int kHexadecimal = 16;
// All rows may have to be written again.
constexpr absl::Duration kUpgradeTime = absl::Hours(24);

// SQL that cuts the long keys of a table, as limits/long_rows.h does: `where` says of which rows.
std::string CutKeysSql(std::string_view table, Family family, std::string_view where) {
  const std::string of_table = Concat("dynolith.", table);
  const std::string head = "substr(key, 1, 1290)";
  return Concat("CREATE TABLE dynolith.cut AS SELECT key, value FROM ", of_table,
                " WHERE octet_length(key) >= 1290", where, "; DELETE FROM ", of_table,
                " WHERE key IN (SELECT key FROM dynolith.cut); INSERT INTO ", of_table,
                " SELECT DISTINCT ", head, ", '\\x02'::bytea FROM dynolith.cut; ",
                "INSERT INTO dynolith.log SELECT '\\xffffffff6b'::bytea || sha256('\\x0",
                static_cast<int>(family), "'::bytea || ", head,
                ") || substr(key, 1291), value FROM dynolith.cut; ") +
         // An entry for each marker of kLog that is in no bucket: its head, each 00 as 00 FF.
         (family == Family::kLog && where.empty()
              ? Concat("INSERT INTO dynolith.log SELECT DISTINCT '\\xffffffff6d'::bytea || "
                       "decode(replace(replace(regexp_replace(encode(",
                       head,
                       ", 'hex'), '(..)', '\\1 ', 'g'), '00 ', '00ff'), ' ', ''), 'hex') || "
                       "'\\x0001'::bytea, ''::bytea FROM dynolith.cut; ")
              : std::string()) +
         "DROP TABLE dynolith.cut;";
}

std::string LongRowsStep() {
  std::string sql;
  for (const std::string_view table : kTableNames) {
    sql += Concat("UPDATE dynolith.", table, " SET value = '\\x00'::bytea || value; ");
  }
  // Before the buckets of the others are in it.
  sql += CutKeysSql("log", Family::kLog, "");
  for (size_t i = 0; i < kFamilies; ++i) {
    const auto family = static_cast<Family>(i);
    if (family != Family::kLog) sql += CutKeysSql(kTableNames[i], family, "");
  }
  // A key of a bucket may still be too long.
  sql += CutKeysSql("log", Family::kLog, " AND substr(key, 1, 5) = '\\xffffffff6b'::bytea");
  return sql;
}

// What makes version N + 1 of version N, at position N. Append only.
std::vector<std::string> Steps() {
  std::string first =
      "CREATE SCHEMA dynolith; CREATE TABLE dynolith.version (number integer NOT NULL);";
  for (const std::string_view table : kTableNames) {
    first +=
        Concat(" CREATE TABLE dynolith.", table, " (key bytea PRIMARY KEY, value bytea NOT NULL);");
  }
  first += " INSERT INTO dynolith.version VALUES (0);";
  return {first, LongRowsStep()};
}

// In the transaction under way, to its end: from `version` to this program's.
std::string UpgradeSql(int version, const std::string& more) {
  std::string sql = "SET LOCAL statement_timeout = 0;";
  const std::vector<std::string> steps = Steps();
  for (int i = version; i < kSchemaVersion; ++i) sql += Concat(" ", steps[static_cast<size_t>(i)]);
  return Concat(sql, " UPDATE dynolith.version SET number = ", kSchemaVersion, ";", more,
                " COMMIT;");
}

std::string StampsSql(StampSource stamps) {
  if (stamps == StampSource::kTransactionIds) return "";
  return " CREATE TABLE dynolith.commits (number bigint NOT NULL);"
         " INSERT INTO dynolith.commits VALUES (0);";
}

std::string GrantSql(const std::string& role) {
  return Concat(" GRANT USAGE ON SCHEMA dynolith TO ", role,
                "; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA dynolith TO ", role,
                "; REVOKE INSERT, UPDATE, DELETE ON dynolith.version FROM ", role, ";");
}

// A connection that makes or looks at a store.
struct Visit {
  std::unique_ptr<SharedState> shared;
  std::unique_ptr<Connection> connection;
};

absl::StatusOr<Visit> Begin(const std::string& url) {
  Visit visit;
  DYNOLITH_ASSIGN_OR_RETURN(visit.shared, ReadAddress(url));
  DYNOLITH_ASSIGN_OR_RETURN(visit.connection,
                            Connection::Open(visit.shared.get(), /*reads_only=*/false));
  return visit;
}

absl::StatusOr<std::string> Ask(Connection* connection, const std::string& sql) {
  DYNOLITH_ASSIGN_OR_RETURN(const Result result, connection->Execute(sql));
  if (result.rows() == 0 || result.IsNull(0, 0)) return "";
  return std::string(result.Field(0, 0));
}

// The first privilege that the role lacks; "": none.
std::string PrivilegesSql(StampSource stamps) {
  std::string values;
  if (stamps == StampSource::kCounter) {
    values = "('dynolith.commits', 'SELECT'), ('dynolith.commits', 'UPDATE')";
  }
  for (const std::string_view table : kTableNames) {
    for (const std::string_view right : {"SELECT", "INSERT", "UPDATE", "DELETE"}) {
      values += Concat(values.empty() ? "" : ", ", "('dynolith.", table, "', '", right, "')");
    }
  }
  return Concat("SELECT privilege || ' on ' || name FROM (VALUES ", values,
                ") AS needed(name, privilege) "
                "WHERE NOT has_table_privilege(name, privilege) LIMIT 1");
}

// What a store says of itself.
struct StoreFacts {
  int version = 0;   // of the schema
  int timeline = 0;  // one more after each promotion; 0: the server has none
  StampSource stamps = StampSource::kTransactionIds;
};

// Errors: kNotFound: there is no store; kPermissionDenied.
absl::StatusOr<StoreFacts> ReadFacts(Connection* connection, const SharedState& shared) {
  absl::StatusOr<Result> result = connection->Execute(Concat(kVersionSql, kTimelineSql));
  // Another server with PostgreSQL's protocol may have no log files.
  if (absl::IsInternal(result.status())) result = connection->Execute(Concat(kVersionSql, "NULL"));
  if (absl::IsNotFound(result.status())) {
    return absl::NotFoundError(messages::StoreNotMade(shared.place));
  }
  if (absl::IsPermissionDenied(result.status())) {
    return absl::PermissionDeniedError(
        messages::StoreNotPermitted(shared.place, ToStd(result.status().message())));
  }
  DYNOLITH_RETURN_IF_ERROR(result.status());
  if (result->rows() != 1 || result->IsNull(0, 1)) {
    return absl::NotFoundError(messages::StoreNotMade(shared.place));
  }
  StoreFacts facts{.version = std::atoi(std::string(result->Field(0, 1)).c_str())};
  if (!result->IsNull(0, 2)) facts.stamps = StampSource::kCounter;
  if (!result->IsNull(0, 3)) {
    facts.timeline = static_cast<int>(
        std::strtol(std::string(result->Field(0, 3)).c_str(), nullptr, kHexadecimal));
  }
  return facts;
}

absl::Status CheckVersion(const StoreFacts& facts, std::string_view place) {
  if (facts.version > kSchemaVersion) {
    return absl::FailedPreconditionError(
        messages::StoreIsNewer(place, facts.version, kSchemaVersion));
  }
  if (facts.version < kSchemaVersion) {
    return absl::FailedPreconditionError(
        messages::StoreIsOlder(place, facts.version, kSchemaVersion));
  }
  return absl::OkStatus();
}

// Begins a transaction in which nobody else opens or upgrades the store; returns its version then.
// kFailedPrecondition: it is in use.
absl::StatusOr<int> BeginUpgrade(const Visit& visit) {
  DYNOLITH_ASSIGN_OR_RETURN(
      const Result result,
      visit.connection->Execute(
          "BEGIN; LOCK TABLE dynolith.version IN ACCESS EXCLUSIVE MODE; "
          "SELECT (SELECT number FROM dynolith.version), count(*) FROM pg_stat_activity "
          "WHERE datname = current_database() AND pid <> pg_backend_pid() "
          // Whatever they call themselves; the server's own workers have no user.
          "AND usesysid IS NOT NULL"));
  const std::string others(result.Field(0, 1));
  if (others != "0") {
    return absl::FailedPreconditionError(messages::StoreIsInUse(visit.shared->place, others));
  }
  return std::atoi(std::string(result.Field(0, 0)).c_str());
}

// kFailedPrecondition: a later timeline has been seen.
absl::Status NoteTimeline(const StoreFacts& facts, SharedState* shared) {
  int latest = shared->timeline;
  while (facts.timeline > latest &&
         !shared->timeline.compare_exchange_weak(latest, facts.timeline)) {
  }
  if (facts.timeline >= latest) return absl::OkStatus();
  return absl::FailedPreconditionError(
      messages::StorePrimaryIsOld(shared->place, facts.timeline, latest));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Connection>> OpenStoreConnection(SharedState* shared,
                                                                bool reads_only) {
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection,
                            Connection::Open(shared, reads_only));
  DYNOLITH_ASSIGN_OR_RETURN(const StoreFacts facts, ReadFacts(connection.get(), *shared));
  DYNOLITH_RETURN_IF_ERROR(CheckVersion(facts, shared->place));
  DYNOLITH_RETURN_IF_ERROR(NoteTimeline(facts, shared));
  shared->stamps = facts.stamps;
  DYNOLITH_RETURN_IF_ERROR(connection->BeginPipelines());
  return connection;
}

StampSource StampsOfServer(std::string_view version) {
  const bool is_postgres =
      version.starts_with(kPostgres) && version.find(kYugabyte) == std::string_view::npos;
  return is_postgres ? StampSource::kTransactionIds : StampSource::kCounter;
}

absl::StatusOr<StampSource> InitStore(const std::string& url, const std::string& grant_to,
                                      std::optional<StampSource> stamps) {
  DYNOLITH_ASSIGN_OR_RETURN(const Visit visit, Begin(url));
  const absl::StatusOr<StoreFacts> facts = ReadFacts(visit.connection.get(), *visit.shared);
  if (facts.ok()) {
    return absl::AlreadyExistsError(messages::StoreIsMade(visit.shared->place, facts->version));
  }
  if (!absl::IsNotFound(facts.status())) return facts.status();
  if (!stamps) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::string server,
                              Ask(visit.connection.get(), "SELECT version()"));
    stamps = StampsOfServer(server);
  }
  std::string more = StampsSql(*stamps);
  if (!grant_to.empty()) more += GrantSql(visit.connection->Quoted(grant_to));
  DYNOLITH_RETURN_IF_ERROR(
      visit.connection->Execute(Concat("BEGIN; ", UpgradeSql(0, more))).status());
  return *stamps;
}

absl::StatusOr<int> UpgradeStore(const std::string& url) {
  DYNOLITH_ASSIGN_OR_RETURN(const Visit visit, Begin(url));
  DYNOLITH_ASSIGN_OR_RETURN(const StoreFacts facts,
                            ReadFacts(visit.connection.get(), *visit.shared));
  if (facts.version == kSchemaVersion) return facts.version;
  if (facts.version > kSchemaVersion) return CheckVersion(facts, visit.shared->place);
  DYNOLITH_ASSIGN_OR_RETURN(const int version, BeginUpgrade(visit));
  if (version >= kSchemaVersion) return version;
  DYNOLITH_RETURN_IF_ERROR(
      visit.connection->Execute(UpgradeSql(version, ""), kUpgradeTime).status());
  return version;
}

absl::StatusOr<std::vector<std::string>> CheckStore(const std::string& url) {
  DYNOLITH_ASSIGN_OR_RETURN(const Visit visit, Begin(url));
  Connection* const connection = visit.connection.get();
  DYNOLITH_ASSIGN_OR_RETURN(const StoreFacts facts, ReadFacts(connection, *visit.shared));
  DYNOLITH_RETURN_IF_ERROR(CheckVersion(facts, visit.shared->place));
  DYNOLITH_ASSIGN_OR_RETURN(const std::string lacking,
                            Ask(connection, PrivilegesSql(facts.stamps)));
  if (!lacking.empty()) {
    return absl::PermissionDeniedError(messages::StoreNotPermitted(visit.shared->place, lacking));
  }
  if (facts.stamps == StampSource::kCounter) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::string counters,
                              Ask(connection, "SELECT count(*) FROM dynolith.commits"));
    if (counters != "1") return absl::DataLossError(messages::StoreCounterLost());
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::string server, Ask(connection, "SHOW server_version"));
  DYNOLITH_ASSIGN_OR_RETURN(const std::string fsync, Ask(connection, "SHOW fsync"));
  DYNOLITH_ASSIGN_OR_RETURN(const std::string standbys,
                            Ask(connection, "SHOW synchronous_standby_names"));
  std::vector<std::string> lines = {
      messages::StoreFactsLine(visit.shared->place, server, facts.version, facts.timeline),
      messages::StoreStamps(facts.stamps == StampSource::kCounter)};
  if (fsync != "on") lines.push_back(messages::StoreWithoutFsync());
  lines.push_back(standbys.empty() ? messages::StoreWithoutStandby()
                                   : messages::StoreWithStandbys(standbys));
  return lines;
}

}  // namespace dynolith::postgres
