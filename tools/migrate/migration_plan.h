// What a migration will make, read and write, and what that costs.
#ifndef DYNOLITH_TOOLS_MIGRATE_MIGRATION_PLAN_H_
#define DYNOLITH_TOOLS_MIGRATE_MIGRATION_PLAN_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/migrate/migration_options.h"
#include "tools/migrate/table_source.h"

namespace dynolith::migrate {

// Estimated from a table's number of items and bytes: consistent reads, and one entry of each index
// for each item.
struct TableUnits {
  double reads = 0;
  double writes = 0;
};
TableUnits EstimateUnits(const TableSource& source);

// The whole plan, in lines.
std::string PlanText(const MigrationOptions& options, const std::vector<TableSource>& sources,
                     const UnitPrices& prices);

}  // namespace dynolith::migrate

#endif  // DYNOLITH_TOOLS_MIGRATE_MIGRATION_PLAN_H_
