// What every operation works on: borrowed parts of one open database. Holding no state of its own,
// it can be made in a test from a store and a catalog.
#ifndef DYNOLITH_API_OPS_OPERATION_CONTEXT_H_
#define DYNOLITH_API_OPS_OPERATION_CONTEXT_H_

#include <string>

#include "engine/base/clock.h"
#include "engine/catalog/catalog.h"
#include "engine/store/row_locks.h"
#include "engine/store/store.h"

namespace dynolith {

class BackfillRunner;

// All pointers are set and outlive the operation.
struct OperationContext {
  Store* store = nullptr;
  Catalog* catalog = nullptr;
  RowLocks* locks = nullptr;
  BackfillRunner* backfills = nullptr;
  const Clock* clock = nullptr;
  // Parts of the ARNs that descriptions show.
  std::string region;
  std::string account_id;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_OPS_OPERATION_CONTEXT_H_
