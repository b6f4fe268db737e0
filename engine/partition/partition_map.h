// The parts of a table's or an index's keys that the partitions hold.
//
// A position is a row key without its id (engine/key/key_codec.h): hash, partition key, sort key.
// So partitions are ranges of positions, mostly of hashes alone, and within one item collection of
// sort keys.
#ifndef DYNOLITH_ENGINE_PARTITION_PARTITION_MAP_H_
#define DYNOLITH_ENGINE_PARTITION_PARTITION_MAP_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/partition/tokens.h"

namespace dynolith {

struct AccessPosition {
  std::string_view key;
  // The part of `key` that all items of its collection share: all of it if items have no sort key.
  size_t collection_bytes = 0;

  std::string_view collection() const { return key.substr(0, collection_bytes); }
};

struct Partition {
  uint64_t id = 0;      // never used again
  uint64_t parent = 0;  // the partition of which it is a half; 0 for a table's initial ones
  std::string begin;    // its first position; empty for the first partition
  double weight = 1;    // its part of what is divided between partitions; all together are 1
  int64_t bytes = 0;    // of the items in it, as far as known
};

struct PartitionSplit {
  uint64_t parent = 0;
  uint64_t low = 0;   // the child before the boundary
  uint64_t high = 0;  // the child from the boundary on
  std::string boundary;
};

// Partitions in the order of their keys, without gaps. Thread-compatible.
class PartitionMap {
 public:
  // `count` partitions of equal parts of the hashes. Requires: at least one.
  explicit PartitionMap(int count);
  // From the stored form. Errors: kDataLoss unless the partitions are in order, begin with the
  // first position and have distinct ids below `next_id`.
  static absl::StatusOr<PartitionMap> FromPartitions(std::vector<Partition> partitions,
                                                     uint64_t next_id);

  size_t size() const { return partitions_.size(); }
  const Partition& operator[](size_t index) const { return partitions_[index]; }
  const std::vector<Partition>& partitions() const { return partitions_; }
  uint64_t next_id() const { return next_id_; }

  // O(log n), without allocation. `likely` is a guess that is tested first; any number is allowed.
  size_t FindIndex(std::string_view position, size_t likely = 0) const;
  // The middle of a partition's hashes; nullopt if it lies within one hash.
  std::optional<std::string> FindMiddle(size_t index) const;

  void AddBytes(size_t index, int64_t bytes);
  // Replaces the partition by two children, at `index` and after it. Its bytes and weight are
  // halved. Requires: the boundary lies within the partition and is not its beginning.
  PartitionSplit Split(size_t index, std::string_view boundary);

 private:
  PartitionMap() = default;

  std::vector<Partition> partitions_;
  std::vector<uint64_t> hashes_;  // the first 8 bytes of each beginning, for the search
  uint64_t next_id_ = 1;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PARTITION_PARTITION_MAP_H_
