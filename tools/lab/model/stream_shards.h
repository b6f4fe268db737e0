// The shards of a table's stream, one for each partition, and the lag of their readers.
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

  // Adds records to the shard of this partition id. `bytes`: of all records together.
  void Add(uint64_t partition, double records, double bytes);
  // Adds the shards of the children, whose records wait until the parent's are read.
  void Split(const PartitionSplit& split);
  // Reads as many waiting records as readers can read in a second.
  void CloseSecond(Micros now);
  // `shards`: their number at the end.
  StreamResult Finish(size_t shards);

 private:
  struct Shard {
    double records = 0;  // waiting ones
    double bytes = 0;
    double new_records = 0;  // of this second
    double new_bytes = 0;
    uint64_t parent = 0;  // the shard that is read first while it has records; 0: none
    double behind = 0;    // seconds of reading, its parents' records included
  };
  double Read(Shard* shard) const;

  double records_a_second_ = 0;  // that a reader gets from one shard
  double bytes_a_second_ = 0;
  std::map<uint64_t, Shard> shards_;  // those with records; parents before their children
  StreamResult result_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MODEL_STREAM_SHARDS_H_
