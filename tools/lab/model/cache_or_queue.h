// A cache that answers reads, or a queue that combines writes, in front of a table.
#ifndef DYNOLITH_TOOLS_LAB_MODEL_CACHE_OR_QUEUE_H_
#define DYNOLITH_TOOLS_LAB_MODEL_CACHE_OR_QUEUE_H_

#include <algorithm>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/model/simulated_resource.h"

namespace dynolith::lab {

// For one access. Thread-compatible.
class CacheOrQueue {
 public:
  explicit CacheOrQueue(const Access& access)
      : lasting_(std::max(access.cache, access.aggregate)) {}

  // Whether the request does not reach the table, because the cache answers it or the queue adds it
  // to a combined write. If it reaches the table, requests at the same position are absorbed for
  // the next `lasting_`.
  bool Absorbs(const LabPosition& position, Micros now) {
    if (lasting_ == 0) return false;
    Micros& until = until_[ToId(position)];
    if (now < until) return true;
    until = now + lasting_;
    return false;
  }
  // Call when the request failed, so the cache does not hold its item.
  void Forget(const LabPosition& position) {
    if (lasting_ > 0) until_.erase(ToId(position));
  }

 private:
  static uint64_t ToId(const LabPosition& position) {
    uint64_t id = 0;
    for (const char byte : position.view().key) {
      id = id * 0x9e3779b97f4a7c15 + static_cast<uint8_t>(byte) + 1;
    }
    return id;
  }

  const Micros lasting_;
  absl::flat_hash_map<uint64_t, Micros> until_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MODEL_CACHE_OR_QUEUE_H_
