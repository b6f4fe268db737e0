#include "engine/partition/nodes.h"

#include <algorithm>

#include "engine/partition/random_numbers.h"

namespace dynolith {

Nodes::Nodes(const CapacitySettings& settings, Micros now) : seed_(settings.seed) {
  const auto bucket = [&](int64_t units) {
    const Rate rate = ToRate(units, settings.scale);
    return TokenBucket(rate, AccruedTokens(rate, settings.partition_burst), now);
  };
  nodes_.resize(static_cast<size_t>(std::max(0, settings.nodes)),
                {bucket(settings.node_units.read), bucket(settings.node_units.write)});
}

template <typename Visit>
bool Nodes::All(AccessKind kind, uint64_t partition, const Visit& visit) {
  if (nodes_.empty()) return true;
  uint64_t state = seed_ ^ partition;
  const uint64_t first = NextRandom(&state);
  const uint64_t count =
      kind == AccessKind::kRead ? 1 : std::min<uint64_t>(kReplicas, nodes_.size());
  for (uint64_t i = 0; i < count; ++i) {
    if (!visit(nodes_[(first + i) % nodes_.size()][kind])) return false;
  }
  return true;
}

bool Nodes::HasAny(AccessKind kind, uint64_t partition, Micros now) {
  return All(kind, partition, [&](TokenBucket& bucket) { return bucket.HasAny(now); });
}

void Nodes::Take(AccessKind kind, uint64_t partition, Tokens tokens, Micros now) {
  All(kind, partition, [&](TokenBucket& bucket) {
    bucket.Take(now, tokens);
    return true;
  });
}

}  // namespace dynolith
