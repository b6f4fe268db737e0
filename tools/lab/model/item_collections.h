// The sizes of the item collections of a table with local indexes: the items of a partition key and
// their local entries, which the service limits to 10 GB (api/facts/capacity.md §5).
#ifndef DYNOLITH_TOOLS_LAB_MODEL_ITEM_COLLECTIONS_H_
#define DYNOLITH_TOOLS_LAB_MODEL_ITEM_COLLECTIONS_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "engine/partition/tokens.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/load/lab_use.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// Thread-compatible. Takes some 20 bytes for each collection that has changed.
class ItemCollections {
 public:
  // The table's initial bytes are divided evenly among the partition keys that accesses name.
  ItemCollections(const Experiment& experiment, size_t table);

  // Whether the collection of the use can grow by `bytes`.
  bool HasRoomFor(const LabUse& use, int64_t bytes) const;
  // `hash`: of the partition key.
  void Add(uint64_t hash, int64_t bytes);
  // Records that a write was refused because there was no room.
  void CountRefused(const LabUse& use, Micros now);
  // The full collections in the order in which they became full.
  std::vector<FullCollection> TakeFull() { return std::move(full_); }

 private:
  int64_t CountBytes(uint64_t hash) const;

  const uint64_t weight_;  // writes for each one that is simulated
  int64_t bytes_at_start_ = 0;
  absl::flat_hash_map<uint64_t, int64_t> bytes_;   // by the hash of the partition key
  absl::flat_hash_map<uint64_t, size_t> full_at_;  // in full_
  std::vector<FullCollection> full_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MODEL_ITEM_COLLECTIONS_H_
