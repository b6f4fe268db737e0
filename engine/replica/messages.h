// Texts about the items of replicas.
#ifndef DYNOLITH_ENGINE_REPLICA_MESSAGES_H_
#define DYNOLITH_ENGINE_REPLICA_MESSAGES_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string DamagedItemVersion() { return "a version of an item of a replica is damaged"; }
inline std::string DamagedReplicaChange() {
  return "a change on its way to another region is damaged";
}

// --- A check of a whole store; `row`: its key, as printed by the caller

inline std::string CheckTable(std::string_view table) { return Concat("table ", table); }
inline std::string ReplicaRows() { return "rows of replicas"; }
inline std::string ReplicaVersionDamaged(std::string_view table, std::string_view row) {
  return Concat(table, ", row ", row, ": the version of the item cannot be understood");
}
inline std::string ReplicaChangeDamaged(std::string_view table, std::string_view row) {
  return Concat(table, ", row ", row,
                " of the changes on their way to other regions: the change cannot be understood");
}
inline std::string ReplicaChangeOfAnotherItem(std::string_view table, std::string_view row) {
  return Concat(table, ", row ", row,
                ": a change on its way to another region has another item's keys");
}
inline std::string ReplicaVersionOlder(std::string_view table, std::string_view row) {
  return Concat(table, ", row ", row,
                ": the item's version is older than a change of it that is on its way to another "
                "region");
}
inline std::string ReplicaChangeOfAnotherState(std::string_view table, std::string_view row) {
  return Concat(table, ", row ", row,
                ": the item is not what its last change says that is on its way to another region");
}
inline std::string ReplicaPlaceDamaged(std::string_view table, std::string_view row) {
  return Concat(table, ", row ", row, ": how far a replica has been filled cannot be understood");
}

// The service's (api/facts/regions.md §4).
inline std::string ReplicatedWriteConflict() {
  return "One or more items in this request are being modified by a request in another Region.";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_REPLICA_MESSAGES_H_
