// Compares the versions and changes of replicas with their items, for checks of a whole store, and
// mends what disagrees.
#ifndef DYNOLITH_ENGINE_REPLICA_REPLICA_CHECK_H_
#define DYNOLITH_ENGINE_REPLICA_REPLICA_CHECK_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/catalog/catalog.h"
#include "engine/catalog/table_meta.h"
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

struct ReplicaMends {
  uint64_t items = 0;  // that are again what goes to the others
  // What cannot be understood, or is of another item, is deleted.
  uint64_t versions = 0;
  uint64_t changes = 0;
  uint64_t places = 0;

  uint64_t deleted() const { return versions + changes + places; }
};

// Mends a table with replicas. A change that is on its way to another region holds its item whole,
// so an item or a version that was lost, or is older, becomes what the last of its changes says.
// Nobody else may use the store. Errors: the store's.
absl::StatusOr<ReplicaMends> MendReplicas(Store* store, const TableMeta& meta);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_REPLICA_REPLICA_CHECK_H_
