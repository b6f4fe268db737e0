// A database with every kind of row that a store can have, for the tests that keep stores and those
// that damage rows.
#ifndef DYNOLITH_TESTS_FORMATS_EVERY_ROW_H_
#define DYNOLITH_TESTS_FORMATS_EVERY_ROW_H_

#include <string>

#include "absl/time/time.h"
#include "api/database/database_impl.h"
#include "engine/base/clock.h"

namespace dynolith::formats {

// Where the clock of such a database starts.
inline constexpr absl::Time kStart = absl::FromUnixSeconds(1'700'000'000);

// The options of a database on `clock`, without a path.
DatabaseOptions MakeOptions(ManualClock* clock);

// Makes the calls of `file`, tests/formats/every_row.txt, and in the end says, as an interrupted
// process would have, that the expiry rows of a table are still to be filled. Ends the process if a
// call is refused. Requires: an empty database, whose clock is at kStart.
void MakeEveryRow(const std::string& file, DatabaseImpl* database, ManualClock* clock);

}  // namespace dynolith::formats

#endif  // DYNOLITH_TESTS_FORMATS_EVERY_ROW_H_
