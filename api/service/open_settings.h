// What a database is opened with, as JSON: the members stand in dynolith/dynolith.h.
//
//   {"path": "/var/lib/music", "clock": "manual", "capacity": {"mode": "enforce", "scale": 0.01}}
#ifndef DYNOLITH_API_SERVICE_OPEN_SETTINGS_H_
#define DYNOLITH_API_SERVICE_OPEN_SETTINGS_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "dynolith/database.h"

namespace dynolith {

struct OpenSettings {
  DatabaseOptions database;  // without a clock and transfers, which are whoever's who opens it
  bool manual_clock = false;
  std::optional<absl::Time> clock_start;  // of a manual clock
  std::string buckets_folder;             // empty: there are no buckets
};

// An empty text is {}; a member that is null is as if it were not there. Errors: kInvalidArgument
// with the member, and what was probably meant by one that is unknown. What the database checks
// itself is left to Database::Open.
absl::StatusOr<OpenSettings> ReadOpenSettings(std::string_view json);

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_OPEN_SETTINGS_H_
