// Texts of damaged rows of replicas.
#ifndef DYNOLITH_ENGINE_REPLICA_MESSAGES_H_
#define DYNOLITH_ENGINE_REPLICA_MESSAGES_H_

#include <string>

namespace dynolith::messages {

inline std::string DamagedItemVersion() { return "a version of an item of a replica is damaged"; }
inline std::string DamagedReplicaChange() {
  return "a change on its way to another region is damaged";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_REPLICA_MESSAGES_H_
