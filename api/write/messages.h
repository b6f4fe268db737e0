// The texts of the writing operations.
#ifndef DYNOLITH_API_WRITE_MESSAGES_H_
#define DYNOLITH_API_WRITE_MESSAGES_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// ===== The item operations' own rules (api/facts/operations.md §1-§3, api/facts/expressions.md
// §8).

// --- Parameters (of expressions: engine/expr/messages.h) ---

// Of writes that are left unprocessed.
inline std::string TablesAreChanging() { return "another process has changed the tables"; }
inline std::string ReturnValuesOldOrNone() { return "ReturnValues can only be ALL_OLD or NONE"; }
inline std::string ConditionFailed() { return "The conditional request failed"; }

// --- Batches ---

inline std::string TooManyItems(std::string_view operation) {
  return Concat("Too many items requested for the ", operation, " call");
}
inline std::string DuplicateKeys() { return "Provided list of item keys contains duplicates"; }
inline std::string RequestItemsRequired(std::string_view operation) {
  return Concat("The requestItems parameter is required for ", operation);
}

// ===== Transactions (api/facts/operations.md §3).

// `reasons`: comma-separated codes; words if it is not a cancellation.
inline std::string TransactionCancelled(std::string_view reasons) {
  return Concat("Transaction cancelled, please refer cancellation reasons for specific reasons [",
                reasons, "]");
}
inline std::string TransactionOnOneItemTwice() {
  return "Transaction request cannot include multiple operations on one item";
}
// Ours: the service's is not known (api/facts/regions.md §4).
inline std::string TransactionOnStrongTable() {
  return "Transactional operations are not supported for global tables with MultiRegionConsistency "
         "set to STRONG";
}
inline std::string TransactionActionNotOne() {
  return "TransactItems can only contain one of Check, Put, Update or Delete";
}
// For an element without an action.
inline std::string TransactionActionMissing() {
  return "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request";
}
inline std::string TransactionTooLarge() { return "Transaction request size cannot exceed 4 MB"; }
inline std::string TransactionConflict() { return "Transaction is ongoing for the item"; }
inline std::string TransactionInProgress() {
  return "The transaction with the given request token is already in progress.";
}
inline std::string DamagedToken() { return "the row of a transaction's token is damaged"; }
inline std::string IdempotentParameterMismatch() {
  return "DynamoDB rejected the request because you retried a request with a different payload but "
         "with an idempotent token that was already used.";
}

// ===== Expressions, placeholders and the legacy parameters (api/facts/expressions.md §2-§9,
// api/facts/newest.md §1).

// --- All expressions

// For the UpdateExpression of a transaction.
inline std::string ExpressionTooLargeInTransaction() {
  return "Expression size has exceeded the maximum allowed size;";
}

// ===== Attribute values, numbers, sizes and keys (api/facts/values.md §1-§8), and damaged bytes.

// --- Nesting and size (§6, §7) ---

inline std::string UpdatedItemTooLarge() {
  return "Item size to update has exceeded the maximum allowed size";
}

// ===== PartiQL statements (api/facts/operations.md §4).

// --- Statements that do not fit their table ---

inline std::string DuplicateItem() { return "Duplicate primary key exists in table"; }

// ===== Partitions and enforced capacity.

// --- throttling (api/facts/capacity.md §7)

inline std::string CollectionSizeExceeded() { return "Collection size exceeded."; }

}  // namespace dynolith::messages

#endif  // DYNOLITH_API_WRITE_MESSAGES_H_
