// The options of opening a database, as JSON: the members are in database_options.h.
//
//   {"path": "/var/lib/music", "clock": "manual", "capacity": {"mode": "enforce", "scale": 0.01}}
#ifndef DYNOLITH_API_SERVICE_OPEN_SETTINGS_H_
#define DYNOLITH_API_SERVICE_OPEN_SETTINGS_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "api/service/database_options.h"

namespace dynolith {

// An empty text is {}; a member that is null counts as absent. Errors: kInvalidArgument with the
// member, and for an unknown one the nearest known one. Database::Open makes the other checks.
absl::StatusOr<OpenSettings> ReadOpenSettings(std::string_view json);

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_OPEN_SETTINGS_H_
