// Puts and deletions of items of one table of TO, in batches.
#ifndef DYNOLITH_TOOLS_MIGRATE_ITEM_WRITES_H_
#define DYNOLITH_TOOLS_MIGRATE_ITEM_WRITES_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "engine/text/json_tree.h"
#include "tools/files/excerpt/table_keys.h"
#include "tools/migrate/side.h"
#include "tools/migrate/work.h"

namespace dynolith::migrate {

struct ItemWrite {
  bool is_deletion = false;
  JsonTree tree;  // the item, or the key of one that is deleted
};

// Returns when all are written, or refused by TO, which Work has been told. Unprocessed items are
// repeated. The order of writes is not kept. Requires: no two have the same key. Errors: as
// Side::Caller::Ask.
absl::Status WriteItems(Work* work, Side::Caller* caller, const excerpt::TableKeys& keys,
                        const std::vector<ItemWrite>& writes);

// The units of an answer's ConsumedCapacity, one or a list; `otherwise` if there is none.
double ConsumedUnits(const JsonTree& answer, double otherwise);

}  // namespace dynolith::migrate

#endif  // DYNOLITH_TOOLS_MIGRATE_ITEM_WRITES_H_
