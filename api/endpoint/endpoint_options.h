// The options of Database::Open that exclude an endpoint.
#ifndef DYNOLITH_API_ENDPOINT_ENDPOINT_OPTIONS_H_
#define DYNOLITH_API_ENDPOINT_ENDPOINT_OPTIONS_H_

#include "absl/status/status.h"
#include "dynolith/database.h"

namespace dynolith {

// Errors: kInvalidArgument, which names the first option that is set although it is of a database
// in this process.
absl::Status CheckOnlyEndpoint(const DatabaseOptions& options);

}  // namespace dynolith

#endif  // DYNOLITH_API_ENDPOINT_ENDPOINT_OPTIONS_H_
