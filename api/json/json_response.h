// An answer of the service from an operation, or from the admin endpoint, to the interface that
// delivers it.
#ifndef DYNOLITH_API_JSON_JSON_RESPONSE_H_
#define DYNOLITH_API_JSON_JSON_RESPONSE_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/base/errors.h"

namespace dynolith {

struct JsonResponse {
  int http_status = 200;
  std::string body;
  std::optional<ErrorKind> error;  // the kind of the exception
  // For failures of the server itself, for a log: the cause of an InternalServerError, and the
  // tables that the call names.
  std::string cause;
  std::string tables;
  // The effects of fault injection (dynolith/faults.h): the answer is delayed by this, or is not
  // sent and the connection is closed.
  absl::Duration delay;
  bool is_dropped = false;
  absl::Duration retry_after;        // of an error: as the header x-amz-retry-after; 0: without
  std::string_view allowed_methods;  // of a 405: as the header Allow, "GET, POST"; static
};

// The error envelope of a failed status: {"__type": "<prefix>#<name>", "message": …} and the kind's
// own members (api/facts/wire.md §7).
JsonResponse ErrorResponse(const absl::Status& status);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_JSON_RESPONSE_H_
