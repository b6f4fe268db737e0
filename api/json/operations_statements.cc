// The PartiQL operations, from the members of a call to the text of its output.
#include "api/json/operations.h"
#include "api/json/read_statements.h"
#include "api/json/run_operation.h"
#include "api/json/write_statements.h"

namespace dynolith {
namespace {

constexpr OperationRow kRows[] = {
    {"ExecuteStatement",
     &RunOperation<ExecuteStatementRequest, ExecuteStatementOutput, &Database::ExecuteStatement>},
    {"BatchExecuteStatement",
     &RunOperation<BatchExecuteStatementRequest, BatchExecuteStatementOutput,
                   &Database::BatchExecuteStatement>},
    {"ExecuteTransaction", &RunOperation<ExecuteTransactionRequest, ExecuteTransactionOutput,
                                         &Database::ExecuteTransaction>},
};

}  // namespace

absl::Span<const OperationRow> StatementOperations() { return kRows; }

}  // namespace dynolith
