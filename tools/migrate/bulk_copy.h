// The full copy of one table into a folder as sorted files, which make the table with all of its
// items at once.
#ifndef DYNOLITH_TOOLS_MIGRATE_BULK_COPY_H_
#define DYNOLITH_TOOLS_MIGRATE_BULK_COPY_H_

#include "absl/status/statusor.h"
#include "tools/migrate/table_source.h"
#include "tools/migrate/work.h"

namespace dynolith::migrate {

// Whether tables are to be copied so. Without, TO is an endpoint, or it was not wanted.
bool CopiesInBulk(Work* work);

// Makes the table, with its items; notes in the state, which is saved before anything is made and
// at the end, that it was made and copied. False: TO cannot make this table so, and nothing has
// been done. Requires: CopiesInBulk, and the table is not there. If it is interrupted there is no
// table, and it begins anew. Errors: as Work::Together; the store's.
absl::StatusOr<bool> CopyInBulk(Work* work, const TableSource& source);

// Switches the stream of TO's table on, if FROM's has one, and it is off since the table was made
// so.
absl::Status GiveStream(Work* work, const TableSource& source);

}  // namespace dynolith::migrate

#endif  // DYNOLITH_TOOLS_MIGRATE_BULK_COPY_H_
