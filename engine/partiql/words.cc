#include "engine/partiql/words.h"

#include <algorithm>
#include <iterator>

namespace dynolith::partiql {
namespace {

// Each list is sorted.
constexpr std::string_view kReserved[] = {
    "absolute", "action", "add", "all", "allocate", "alter", "and", "any", "are", "as", "asc",
    "assertion", "at", "authorization", "avg", "bag", "begin", "between", "bit", "bit_length",
    "blob", "bool", "boolean", "by", "cascade", "cascaded", "case", "cast", "catalog", "char",
    "char_length", "character", "character_length", "check", "clob", "close", "coalesce",
    "collate", "collation", "column", "commit", "conflict", "connect", "connection", "constraint",
    "constraints", "continue", "convert", "corresponding", "count", "create", "cross", "current",
    "current_date", "current_time", "current_timestamp", "current_user", "cursor", "date",
    "date_add", "date_diff", "deallocate", "dec", "decimal", "declare", "default", "deferrable",
    "deferred", "delete", "desc", "describe", "descriptor", "diagnostics", "disconnect",
    "distinct", "do", "domain", "double", "drop", "else", "end", "escape", "except", "exception",
    "exec", "execute", "exists", "external", "extract", "false", "fetch", "first", "float", "for",
    "foreign", "found", "from", "full", "get", "global", "go", "goto", "grant", "group", "having",
    "identity", "immediate", "in", "index", "indicator", "initially", "inner", "input",
    "insensitive", "insert", "int", "integer", "intersect", "interval", "into", "is", "isolation",
    "join", "key", "language", "last", "left", "let", "level", "like", "limit", "list", "local",
    "lower", "match", "max", "min", "missing", "modified", "module", "names", "national",
    "natural", "nchar", "new", "next", "no", "not", "nothing", "null", "nullif", "numeric",
    "octet_length", "of", "old", "on", "only", "open", "option", "or", "order", "outer", "output",
    "overlaps", "pad", "partial", "pivot", "position", "precision", "prepare", "preserve",
    "primary", "prior", "privileges", "procedure", "public", "read", "real", "references",
    "relative", "remove", "restrict", "returning", "revoke", "right", "rollback", "rows",
    "schema", "scroll", "section", "select", "session", "session_user", "set", "sexp", "size",
    "smallint", "some", "space", "sql", "sqlcode", "sqlerror", "sqlstate", "string", "struct",
    "substring", "sum", "symbol", "system_user", "table", "temporary", "then", "time",
    "timestamp", "to", "transaction", "translate", "translation", "trim", "true", "tuple",
    "union", "unique", "unknown", "unpivot", "update", "upper", "usage", "user", "using", "value",
    "values", "varchar", "varying", "view", "when", "whenever", "where", "with", "work", "write",
    "zone"};

constexpr std::string_view kOperators[] = {
    "and", "between", "except", "in", "intersect", "is", "like", "not", "or", "union"};

constexpr std::string_view kFunctions[] = {
    "avg", "bag", "bit_length", "char_length", "character_length", "coalesce", "count", "exists",
    "list", "lower", "max", "min", "nullif", "octet_length", "sexp", "size", "substring", "sum",
    "upper"};

constexpr std::string_view kTypes[] = {
    "bag", "blob", "bool", "boolean", "char", "character", "character_varying", "clob", "date",
    "dec", "decimal", "double_precision", "float", "int", "integer", "list", "missing", "null",
    "numeric", "real", "sexp", "smallint", "string", "struct", "symbol", "time", "timestamp",
    "tuple", "varchar"};

template <size_t count>
bool Holds(const std::string_view (&words)[count], std::string_view word) {
  return std::binary_search(std::begin(words), std::end(words), word);
}

}  // namespace

bool IsReservedWord(std::string_view word) { return Holds(kReserved, word); }
bool IsOperatorWord(std::string_view word) { return Holds(kOperators, word); }
bool IsFunctionWord(std::string_view word) { return Holds(kFunctions, word); }
bool IsTypeWord(std::string_view word) { return Holds(kTypes, word); }

}  // namespace dynolith::partiql
