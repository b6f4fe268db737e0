// Texts about the items of replicas.
#ifndef DYNOLITH_ENGINE_REPLICA_MESSAGES_H_
#define DYNOLITH_ENGINE_REPLICA_MESSAGES_H_

#include <string>

namespace dynolith::messages {

inline std::string DamagedItemVersion() { return "a version of an item of a replica is damaged"; }
inline std::string DamagedReplicaChange() {
  return "a change on its way to another region is damaged";
}

// The service's (api/facts/regions.md §4).
inline std::string ReplicatedWriteConflict() {
  return "One or more items in this request are being modified by a request in another Region.";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_REPLICA_MESSAGES_H_
