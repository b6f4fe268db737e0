// Compares the versions and changes of replicas with their items, for checks of a whole store.
#ifndef DYNOLITH_ENGINE_REPLICA_REPLICA_CHECK_H_
#define DYNOLITH_ENGINE_REPLICA_REPLICA_CHECK_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "engine/catalog/catalog.h"
#include "engine/store/store.h"

namespace dynolith {

struct ReplicaCheckSummary {
  uint64_t versions = 0;
  uint64_t changes = 0;
  uint64_t places = 0;
  // Among them those of tables, and for regions, that have no replica any more: they do no harm.
  uint64_t stale_rows = 0;
  uint64_t disagreements = 0;

  uint64_t rows() const { return versions + changes + places; }
};

// Verifies of every table with replicas that each version, change and place can be decoded and is
// of that table; that an item's version is not older than a change of it on its way; and that a
// change of the last version has the item as it is. Calls `report` with one line per disagreement.
// Each table is checked in a snapshot. Errors: only those that prevent the check itself.
absl::Status CheckReplicas(Store* store, const Catalog& catalog,
                           absl::FunctionRef<void(const std::string&)> report,
                           ReplicaCheckSummary* summary);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_REPLICA_REPLICA_CHECK_H_
