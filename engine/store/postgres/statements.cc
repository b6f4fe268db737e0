#include "engine/store/postgres/statements.h"

#include "engine/base/big_endian.h"
#include "engine/base/strings.h"
#include "engine/store/row_id.h"

namespace dynolith::postgres {
namespace {

constexpr uint32_t kByteaType = 17;

std::string PageSql(const std::string& table, std::string_view order) {
  return Concat(
      "SELECT key, value FROM (SELECT key, value, octet_length(value) AS own, "
      "sum(octet_length(value)) OVER (ORDER BY key ",
      order, " ROWS UNBOUNDED PRECEDING) AS upto FROM ", table,
      " WHERE key >= $1::bytea AND key < $2::bytea ORDER BY key ", order,
      " LIMIT $3::bigint) AS page WHERE upto - own < $4::bigint");
}

// Without the counter's row a key would be null, which it may not be.
std::string PutCountedSql(const std::string& table, std::string_view counter) {
  return Concat("INSERT INTO ", table,
                "(key, value) SELECT row.key || '\\x0000'::bytea || int8send((SELECT number FROM ",
                counter,
                ")) || row.place, row.value FROM unnest($1::bytea[], $2::bytea[], $3::bytea[]) "
                "AS row(key, place, value)");
}

std::string RowSql(Verb verb, const std::string& table) {
  switch (verb) {
    case Verb::kGet:
      return Concat("SELECT value FROM ", table, " WHERE key = $1::bytea");
    case Verb::kGetMany:
      return Concat(
          "SELECT wanted.position, row.value FROM unnest($1::bytea[]) WITH ORDINALITY "
          "AS wanted(key, position) JOIN ",
          table, " AS row ON row.key = wanted.key");
    case Verb::kPageForward:
      return PageSql(table, "ASC");
    case Verb::kPageBackward:
      return PageSql(table, "DESC");
    case Verb::kPut:
      return Concat("INSERT INTO ", table,
                    "(key, value) VALUES ($1::bytea, $2::bytea) "
                    "ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value");
    case Verb::kPutMany:
      return Concat("INSERT INTO ", table,
                    "(key, value) SELECT * FROM unnest($1::bytea[], $2::bytea[]) "
                    "ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value");
    case Verb::kDelete:
      return Concat("DELETE FROM ", table, " WHERE key = $1::bytea");
    case Verb::kDeleteMany:
      return Concat("DELETE FROM ", table, " WHERE key = ANY($1::bytea[])");
    case Verb::kDeleteRange:
      return Concat("DELETE FROM ", table, " WHERE key >= $1::bytea AND key < $2::bytea");
    case Verb::kExpectValue:
      return Concat("SELECT 1 / count(*) FROM ", table,
                    " WHERE key = $1::bytea AND value = $2::bytea");
    case Verb::kExpectPresent:
      return Concat("SELECT 1 / count(*) FROM ", table, " WHERE key = $1::bytea");
    case Verb::kPutStamped:
      return Concat("INSERT INTO ", table,
                    "(key, value) VALUES ($1::bytea || '\\x0000'::bytea || "
                    "int8send(pg_current_xact_id()::text::bigint) || $2::bytea, $3::bytea)");
    case Verb::kPutCounting:
      return Concat(
          "WITH counted AS (UPDATE dynolith.commits SET number = number + 1 RETURNING number) ",
          PutCountedSql(table, "counted"));
    case Verb::kPutCounted:
      return PutCountedSql(table, "dynolith.commits");
    default:
      return Concat("SELECT 1 / (1 - count(*)) FROM ", table, " WHERE key = $1::bytea");
  }
}

}  // namespace

std::string SqlOf(Verb verb, Family family) {
  switch (verb) {
    case Verb::kBegin:
      return "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE";
    case Verb::kBeginReading:
      return "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY";
    case Verb::kBeginReadingSafe:
      return "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE";
    case Verb::kFix:
      return "SELECT 1";
    case Verb::kEndedBefore:
      return "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint";
    case Verb::kCountedBefore:
      return "SELECT number + 1 FROM dynolith.commits";
    case Verb::kCommit:
      return "COMMIT";
    case Verb::kRollback:
      return "ROLLBACK";
    default:
      return RowSql(verb, Concat("dynolith.", kTableNames[static_cast<size_t>(family)]));
  }
}

std::string ArrayOf(absl::Span<const std::string_view> values) {
  // Dimensions, flags, type of the elements, length, first index; then each with its length.
  std::string array =
      Concat(RowIdPrefix(values.empty() ? 0 : 1), RowIdPrefix(0), RowIdPrefix(kByteaType));
  if (values.empty()) return array;
  size_t bytes = 0;
  for (const std::string_view value : values) bytes += sizeof(uint32_t) + value.size();
  array.reserve(array.size() + 2 * sizeof(uint32_t) + bytes);
  array += RowIdPrefix(static_cast<uint32_t>(values.size()));
  array += RowIdPrefix(1);
  for (const std::string_view value : values) {
    array += RowIdPrefix(static_cast<uint32_t>(value.size()));
    array += value;
  }
  return array;
}

std::string IntegerOf(int64_t value) {
  std::string bytes;
  AppendBigEndian(static_cast<uint64_t>(value), &bytes);
  return bytes;
}

}  // namespace dynolith::postgres
