// Calls of a service elsewhere as JSON, for the operations of a database behind an endpoint.
#ifndef DYNOLITH_API_ENDPOINT_JSON_SERVICE_H_
#define DYNOLITH_API_ENDPOINT_JSON_SERVICE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace dynolith {

// Thread-safe.
class JsonService {
 public:
  struct Answer {
    int status = 0;  // of HTTP
    std::string body;
  };

  virtual ~JsonService() = default;

  // `target`: "DynamoDB_20120810.PutItem". Errors: kUnavailable with the reason for which there is
  // no answer; those of credentials.
  virtual absl::StatusOr<Answer> Call(std::string_view target, std::string_view body) = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_ENDPOINT_JSON_SERVICE_H_
