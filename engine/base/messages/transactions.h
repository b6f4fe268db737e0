// Message texts of transactions (api/facts/operations.md §3).
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_TRANSACTIONS_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_TRANSACTIONS_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// `reasons` are codes, comma-separated; of what is no cancellation, in words.
inline std::string TransactionCancelled(std::string_view reasons) {
  return Concat("Transaction cancelled, please refer cancellation reasons for specific reasons [",
                reasons, "]");
}
inline std::string TransactionOnOneItemTwice() {
  return "Transaction request cannot include multiple operations on one item";
}
inline std::string TransactionActionNotOne() {
  return "TransactItems can only contain one of Check, Put, Update or Delete";
}
// Of one without any.
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

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_TRANSACTIONS_H_
