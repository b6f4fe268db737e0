// `dynolith migrate`: tables with their items from a folder or an endpoint to another one, while
// they change (README.md).
#ifndef DYNOLITH_TOOLS_MIGRATE_MIGRATION_H_
#define DYNOLITH_TOOLS_MIGRATE_MIGRATION_H_

#include "absl/status/statusor.h"
#include "tools/migrate/migration_options.h"

namespace dynolith::migrate {

enum class MigrationResult : uint8_t {
  kPlanned,    // --dry-run
  kCopied,     // TO follows; without the cut-over
  kOver,       // both sides are the same, as far as they were compared
  kDifferent,  // they are not, or something was refused; said
};

// Continues from the state's file, if there is one. Errors: kInvalidArgument for options and
// tables that do not fit; kCancelled: the listener's is_over; the calls' errors. In each case the
// same call continues later.
absl::StatusOr<MigrationResult> Migrate(const MigrationOptions& options, const UnitPrices& prices,
                                        const MigrationListener& listener);

}  // namespace dynolith::migrate

#endif  // DYNOLITH_TOOLS_MIGRATE_MIGRATION_H_
