// The full copy of one table through a bucket: FROM exports it, TO makes its table by an import.
#ifndef DYNOLITH_TOOLS_MIGRATE_BUCKET_COPY_H_
#define DYNOLITH_TOOLS_MIGRATE_BUCKET_COPY_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/migrate/migration_options.h"
#include "tools/migrate/table_source.h"
#include "tools/migrate/work.h"

namespace dynolith::migrate {

// Whether MigrationOptions::bucket is one, and fits the rest. Errors: kInvalidArgument.
absl::Status CheckBucket(const MigrationOptions& options);

// The member of the table that no import can make; empty: none.
std::string_view NeverImported(const TableSource& source);

// Makes the table with its items, and gives it what an import cannot (stream, class, deletion
// protection). Each step is noted in the state before it is waited for, so an interrupted copy goes
// on where it was. False: no import can make this table, which is said, and nothing has been done.
// Errors: of the calls; kFailedPrecondition: the export or the import has failed, and the next run
// begins a new one; kCancelled: the run is over.
absl::StatusOr<bool> CopyByBucket(Work* work, const TableSource& source);

}  // namespace dynolith::migrate

#endif  // DYNOLITH_TOOLS_MIGRATE_BUCKET_COPY_H_
