// The usual way through an operation: read the request, run it, write its output.
#ifndef DYNOLITH_API_JSON_RUN_OPERATION_H_
#define DYNOLITH_API_JSON_RUN_OPERATION_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/json/json_writer.h"
#include "api/json/operations.h"
#include "engine/base/status_macros.h"

namespace dynolith {

// For operations whose output is written when it is complete. Requires ReadRequest of the request
// and WriteOutputJson of the output.
template <typename Request, typename Output,
          absl::StatusOr<Output> (Database::*method)(const Request&)>
absl::Status RunOperation(const OperationCall& call, std::string* body) {
  Request request;
  DYNOLITH_RETURN_IF_ERROR(ReadRequest(*call.input, &request));
  DYNOLITH_ASSIGN_OR_RETURN(const Output output, (call.database->*method)(request));
  JsonWriter writer(body);
  WriteOutputJson(output, &writer);
  return absl::OkStatus();
}

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_RUN_OPERATION_H_
