// The shards of a table's stream, one for each partition, and how far behind their readers are.
#ifndef DYNOLITH_TOOLS_LAB_MODEL_STREAM_SHARDS_H_
#define DYNOLITH_TOOLS_LAB_MODEL_STREAM_SHARDS_H_

#include <cstddef>
#include <cstdint>
#include <map>

#include "engine/partition/partition_map.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/result/run_result.h"

namespace dynolith::lab {

// Thread-compatible. Times must not fall.
class StreamShards {
 public:
  explicit StreamShards(const StreamReaders& readers);

  // Records of the partition, by its id. `bytes`: of all of them.
  void Add(uint64_t partition, double records, double bytes);
  // The shards of the children follow that of the parent: what is in them waits until that is read.
  void Split(const PartitionSplit& split);
  // Reads what is there, as far as a second allows it.
  void CloseSecond(Micros now);
  // `shards`: there are now.
  StreamResult Finish(size_t shards);

 private:
  struct Shard {
    double records = 0;  // that wait
    double bytes = 0;
    double new_records = 0;  // of this second
    double new_bytes = 0;
    uint64_t parent = 0;  // that is read first, as long as it has records; 0: none
    double behind = 0;    // seconds, with what its parents still have
  };
  double Read(Shard* shard) const;

  double records_a_second_ = 0;  // of one shard that a reader gets
  double bytes_a_second_ = 0;
  std::map<uint64_t, Shard> shards_;  // with records; parents before their children
  StreamResult result_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MODEL_STREAM_SHARDS_H_
