// `dynolith migrate`: its report, and its progress on a terminal.
#ifndef DYNOLITH_TOOLS_PROGRAM_MIGRATE_H_
#define DYNOLITH_TOOLS_PROGRAM_MIGRATE_H_

#include <string>

#include "absl/status/statusor.h"
#include "tools/migrate/migration_options.h"

namespace dynolith {

struct MigrateCommandOptions {
  migrate::MigrationOptions migration;
  std::string admin_token_file;
  std::string prices_file;  // empty: the shipped prices
  std::string price_region;
};

// Prints plan and report on standard output, what is wrong on standard error. Returns whether
// everything is as it should be. Errors: those of migrate::Migrate; kCancelled: Ctrl-C.
absl::StatusOr<bool> RunMigration(const MigrateCommandOptions& options);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_MIGRATE_H_
