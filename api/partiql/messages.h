// The texts about PartiQL statements that do not fit their table or each other
// (api/facts/operations.md §4).
#ifndef DYNOLITH_API_PARTIQL_MESSAGES_H_
#define DYNOLITH_API_PARTIQL_MESSAGES_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- Statements that do not fit their table ---

inline std::string KeyEqualityMissing() {
  return "Where clause does not contain a mandatory equality on all key attributes";
}
inline std::string ConditionsOnOneKey() { return "Multiple conditions on same key"; }
inline std::string OverlappingRangeConditions() {
  return "Overlapping conditions with range keys are not supported in where clause";
}
inline std::string StatementNoSuchIndex() { return "The table does not have the specified index"; }
inline std::string StatementConsistentReadOnGlobalIndex() {
  return "Strongly consistent read is not supported on Global Secondary Indexes";
}
inline std::string MultiAttributeKeyIndex() {
  return "PartiQL statements cannot be executed on tables with multi-attribute HASH keys or "
         "multi-attribute RANGE keys.";
}
inline std::string OrderByNeedsWhere() {
  return "Must have WHERE clause in the statement when using ORDER BY clause.";
}
inline std::string OrderByNeedsPartitionKey() {
  return "Must have at least one non-optional hash key condition in WHERE clause when using ORDER "
         "BY clause.";
}
inline std::string OrderByNotKey(std::string_view attribute) {
  return Concat("Variable reference ", attribute,
                " in ORDER BY clause must be part of the primary key");
}
inline std::string NextTokenMismatch() { return "NextToken does not match request"; }
inline std::string NextTokenOnWrite() { return "NextToken is only valid on a SELECT statement"; }

// --- Several statements in one request ---

inline std::string BatchMixesReadsAndWrites() {
  return "Read and write requests together in the same batch is not supported.";
}
inline std::string BatchSelectNeedsKey() {
  return "Select statements within BatchExecuteStatement must specify the primary key in the where "
         "clause.";
}
inline std::string TransactionMixesReadsAndWrites() {
  return "ExecuteTransaction API does not support both read and write operations in the same "
         "request.";
}
inline std::string TransactionStatementInvalid(size_t position, std::string_view problem) {
  return Concat("Validation failed in TransactStatements[", position, "]: ", problem);
}
inline constexpr std::string_view kTransactionSelectNeedsKey =
    "Select statements within ExecuteTransaction must specify the primary key in the where clause.";
inline constexpr std::string_view kTransactionIndexRead =
    "Reads on indices are not supported within transactions.";
inline constexpr std::string_view kTransactionReturning =
    "RETURNING clause is not supported in ExecuteTransaction.";
inline constexpr std::string_view kTransactionExists =
    "EXISTS() must contain a single item read with additional condition";

}  // namespace dynolith::messages

#endif  // DYNOLITH_API_PARTIQL_MESSAGES_H_
