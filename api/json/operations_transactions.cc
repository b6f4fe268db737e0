// The transactions of items, from the members of a call to the text of its output.
#include "api/json/operations.h"
#include "api/json/read_transactions.h"
#include "api/json/run_operation.h"
#include "api/json/write_transactions.h"

namespace dynolith {
namespace {

constexpr OperationRow kRows[] = {
    {"TransactWriteItems", &RunOperation<TransactWriteItemsRequest, TransactWriteItemsOutput,
                                         &Database::TransactWriteItems>},
    {"TransactGetItems",
     &RunOperation<TransactGetItemsRequest, TransactGetItemsOutput, &Database::TransactGetItems>},
};

}  // namespace

absl::Span<const OperationRow> TransactionOperations() { return kRows; }

}  // namespace dynolith
