// Calls of the wire, given and answered as the methods of Database are.
#ifndef DYNOLITH_TESTS_RANDOM_WIRE_CALL_H_
#define DYNOLITH_TESTS_RANDOM_WIRE_CALL_H_

#include <string>

#include "absl/status/statusor.h"
#include "dynolith/database.h"

namespace dynolith::random {

// The body of a request, which is of the C++ type of the operation's input.
std::string WriteBody(const std::string& operation, const void* request);

// Runs the body through the dispatcher and reads the answer into `output`, of the C++ type of the
// operation's output. An error's body becomes the status that the method would give. An answer that
// is not what the model says ends the process with a message.
absl::Status CallBody(Database* database, const std::string& operation, const std::string& body,
                      void* output);

template <typename Output, typename Request>
absl::StatusOr<Output> CallOverWire(Database* database, const std::string& operation,
                                    const Request& request) {
  Output output;
  const absl::Status status =
      CallBody(database, operation, WriteBody(operation, &request), &output);
  if (!status.ok()) return status;
  return output;
}

}  // namespace dynolith::random

#endif  // DYNOLITH_TESTS_RANDOM_WIRE_CALL_H_
