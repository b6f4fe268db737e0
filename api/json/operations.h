// The table of operations: name on the wire -> function from the members of a call to the text of
// its output. A new operation is a line of engine/model/model.txt and a function of a room of
// operations.
#ifndef DYNOLITH_API_JSON_OPERATIONS_H_
#define DYNOLITH_API_JSON_OPERATIONS_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "api/json/fields.h"
#include "api/json/operation_cost.h"
#include "api/json/value_reader.h"
#include "api/request/control_limit.h"
#include "api/request/operation_context.h"
#include "engine/model/shapes.h"

namespace dynolith {

struct AnswerFault;
struct OperationRow;

// What one call works on. Borrows everything.
struct OperationCall {
  const OperationContext* context;
  const OperationRow* row;
  const OperationShape* shape;
  // The members of the input; their types and constraints have been checked.
  const Fields* input;
  // What DescribeEndpoints answers when the call has no Host.
  std::string_view endpoint_address;
  std::string_view host;
  // nullptr: it may take what it needs.
  WorkAllowance* allowance = nullptr;
  // Receives what becomes of the answer on purpose.
  AnswerFault* answer = nullptr;
};

// Appends the output to `body`; what stands there after a failure is of no use.
using OperationFunction = absl::Status (*)(const OperationCall& call, std::string* body);

struct OperationRow {
  CallName name;
  OperationFunction run;
  ValueReaderOptions values;
  OperationCost cost;
  bool writes;  // whether it may
};

// An operation: its row and its shape.
struct Operation {
  const OperationRow* row;
  const OperationShape* shape;
};
// nullptr if there is none of that name. Thread-safe.
const Operation* FindOperationOf(Service service, std::string_view name);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_OPERATIONS_H_
