// The table of operations: name on the wire -> function from a read request to a written output.
// A new operation is one ReadRequest, one writer, one function in the file of its group and one
// row here.
#ifndef DYNOLITH_API_JSON_OPERATIONS_H_
#define DYNOLITH_API_JSON_OPERATIONS_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "api/json/fields.h"
#include "api/json/shapes.h"
#include "dynolith/database.h"

namespace dynolith {

// What one call works on. Borrows everything.
struct OperationCall {
  Database* database;
  // The members of the input; their types and constraints have been checked.
  const Fields* input;
  std::string_view endpoint_address;  // what DescribeEndpoints answers when the call has no Host
  std::string_view host;
};

// Appends the output to `body`; what stands there after a failure is of no use.
using OperationFunction = absl::Status (*)(const OperationCall& call, std::string* body);

// The checks of an operation with a front end of its own, in place of CheckTypes and
// CheckConstraints. `body` is the text of the request, a JSON object.
using FrontEnd = absl::Status (*)(const Shape& input, std::string_view body);

struct OperationRow {
  std::string_view name;
  OperationFunction run;
  FrontEnd front_end = nullptr;
};

// Rows of the operations that are built; each group is defined in operations_<group>.cc.
absl::Span<const OperationRow> ItemOperations();
absl::Span<const OperationRow> TableOperations();
absl::Span<const OperationRow> TableFeatureOperations();
absl::Span<const OperationRow> BackupOperations();
absl::Span<const OperationRow> TransferOperations();
absl::Span<const OperationRow> TransactionOperations();
absl::Span<const OperationRow> StatementOperations();
absl::Span<const OperationRow> TimeToLiveOperations();
absl::Span<const OperationRow> StreamOperations();
absl::Span<const OperationRow> VectorOperations();

// A built operation: its row and its shape.
struct Operation {
  const OperationRow* row;
  const OperationShape* shape;
};
// nullptr if there is none of that name. Thread-safe.
const Operation* FindBuiltOperation(Service service, std::string_view name);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_OPERATIONS_H_
