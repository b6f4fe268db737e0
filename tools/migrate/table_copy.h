// The full copy of one table.
#ifndef DYNOLITH_TOOLS_MIGRATE_TABLE_COPY_H_
#define DYNOLITH_TOOLS_MIGRATE_TABLE_COPY_H_

#include "absl/status/status.h"
#include "tools/migrate/table_source.h"
#include "tools/migrate/work.h"

namespace dynolith::migrate {

// Writes each item of FROM to TO, from the point on that the state gives, and notes in it what is
// done. With rules for values a copy that is not whole begins anew, since two items that become one
// are found by comparing all. The state is saved before it returns. Errors: as Work::Together.
absl::Status CopyTable(Work* work, const TableSource& source);

}  // namespace dynolith::migrate

#endif  // DYNOLITH_TOOLS_MIGRATE_TABLE_COPY_H_
