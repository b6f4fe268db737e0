// The last step of every writing transaction: token, one Execute, cancellation or report.
#ifndef DYNOLITH_API_WRITE_TRANSACTION_H_
#define DYNOLITH_API_WRITE_TRANSACTION_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "api/request/operation_context.h"
#include "api/write/row_write.h"
#include "dynolith/requests.h"

namespace dynolith {

// A planned transaction. Borrows everything.
struct TransactionPlan {
  absl::Span<const RowWrite> writes;
  absl::Span<const std::string_view> table_names;  // of each write, as the request names it
  const std::string* token = nullptr;
  // The parts of the request that determine its effects: two requests are the same if these are.
  std::string canonical_request;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  ReturnItemCollectionMetrics return_item_collection_metrics = ReturnItemCollectionMetrics::kNone;
};

// Requires: the gates of all tables are held, no two writes are of one row. Errors:
// TransactionCanceledException with a reason per write; those of the token.
absl::StatusOr<TransactWriteItemsOutput> CommitTransaction(const OperationContext& context,
                                                           const TransactionPlan& plan);

// Checks for an empty key value of an action's item or key, which is reported at the top level and
// in the order of the actions; every other violation of keys cancels the transaction. An absent
// table is reported later.
absl::Status CheckEmptyKeys(const OperationContext& context, std::string_view name_or_arn,
                            ItemView item);

// Appends a field so that no two sequences of fields give the same bytes.
void AppendCanonical(std::string_view field, std::string* bytes);

}  // namespace dynolith

#endif  // DYNOLITH_API_WRITE_TRANSACTION_H_
