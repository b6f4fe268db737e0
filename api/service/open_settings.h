// What a database is opened with, as JSON: the members stand in database_options.h.
//
//   {"path": "/var/lib/music", "clock": "manual", "capacity": {"mode": "enforce", "scale": 0.01}}
#ifndef DYNOLITH_API_SERVICE_OPEN_SETTINGS_H_
#define DYNOLITH_API_SERVICE_OPEN_SETTINGS_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "api/service/database_options.h"

namespace dynolith {

// An empty text is {}; a member that is null is as if it were not there. Errors: kInvalidArgument
// with the member, and what was probably meant by one that is unknown. What the database checks
// itself is left to Database::Open.
absl::StatusOr<OpenSettings> ReadOpenSettings(std::string_view json);

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_OPEN_SETTINGS_H_
