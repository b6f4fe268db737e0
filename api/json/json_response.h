// An answer of the service on its way from an operation, or from the admin endpoint, to whoever
// hands it out.
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
  std::optional<ErrorKind> error;  // which exception it is
  // Of a failure that is the server's own, for a log: why an InternalServerError was one, and which
  // tables the call names.
  std::string cause;
  std::string tables;
  // What becomes of it on purpose (dynolith/faults.h): it is to be sent so much later, or not at
  // all, and the connection closed.
  absl::Duration delay;
  bool is_dropped = false;
  absl::Duration retry_after;        // of an error: as the header x-amz-retry-after; 0: without
  std::string_view allowed_methods;  // of a 405: as the header Allow, "GET, POST"; static
};

// The error envelope of a failed status: {"__type": "<prefix>#<name>", "message": …} and what the
// kind adds (api/facts/wire.md §7).
JsonResponse ErrorResponse(const absl::Status& status);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_JSON_RESPONSE_H_
