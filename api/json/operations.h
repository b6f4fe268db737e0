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

// The context of one call. Borrows everything.
struct OperationCall {
  const OperationContext* context;
  const OperationRow* row;
  const OperationShape* shape;
  // The members of the input; their types and constraints have been checked.
  const Fields* input;
  // DescribeEndpoints' answer when the call has no Host.
  std::string_view endpoint_address;
  std::string_view host;
  // nullptr: unlimited.
  WorkAllowance* allowance = nullptr;
  // Receives the effects of fault injection on the answer.
  AnswerFault* answer = nullptr;
};

// Appends the output to `body`; after a failure its content is unusable.
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
const Operation* FindServiceOperation(Service service, std::string_view name);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_OPERATIONS_H_
