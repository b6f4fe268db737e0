// The machines under partitions: saved capacity can only be spent where a machine has room
// (api/facts/capacity.md §4, bursting).
#ifndef DYNOLITH_ENGINE_PARTITION_NODES_H_
#define DYNOLITH_ENGINE_PARTITION_NODES_H_

#include <cstdint>
#include <vector>

#include "engine/partition/capacity_settings.h"
#include "engine/partition/tokens.h"

namespace dynolith {

// Thread-compatible.
class Nodes {
 public:
  static constexpr uint64_t kReplicas = 3;

  Nodes(const CapacitySettings& settings, Micros now);

  // Whether the nodes of the partition have room: its own for a read, those of all its replicas for
  // a write, which all of them execute. Always true without nodes.
  bool HasAny(AccessKind kind, uint64_t partition, Micros now);
  void Take(AccessKind kind, uint64_t partition, Tokens tokens, Micros now);

 private:
  // Calls `visit` with the bucket of each node that the access loads until it returns false.
  template <typename Visit>
  bool All(AccessKind kind, uint64_t partition, const Visit& visit);

  const uint64_t seed_;
  std::vector<PerKind<TokenBucket>> nodes_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PARTITION_NODES_H_
