// A table or an index in a simulation: the server's own throughput model, and a record of its
// results.
#ifndef DYNOLITH_TOOLS_LAB_MODEL_SIMULATED_RESOURCE_H_
#define DYNOLITH_TOOLS_LAB_MODEL_SIMULATED_RESOURCE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/partition/throughput_model.h"
#include "tools/lab/model/auto_scaling.h"
#include "tools/lab/model/expiring_items.h"
#include "tools/lab/model/item_collections.h"
#include "tools/lab/model/stream_shards.h"
#include "tools/lab/result/resource_record.h"

namespace dynolith::lab {

class SimulatedResource {
 public:
  // All arguments are borrowed; `nodes` may be nullptr.
  SimulatedResource(const Experiment& experiment, const CapacitySettings& settings,
                    const ResourceDesign& design, Nodes* nodes, const RunIntervals& intervals);

  // Loads what a use will read into the CPU's caches: first the first, and some uses later the
  // second. Sets LabUse::partition.
  void Prefetch(LabUse* use) const {
    if (has_many_partitions()) {
      use->partition = model_.PrefetchPartition(use->position.view().key);
    }
    record_.Prefetch(use->position.hash());
  }
  void PrefetchReferred(const LabUse& use) const {
    if (has_many_partitions()) model_.PrefetchSample(use.partition);
    record_.PrefetchReferred(use.position.hash());
  }
  std::optional<ThroughputLimit> Refusal(const LabUse& use, Micros now) {
    return model_.Refusal(use.kind, use.position.view().key, now);
  }
  // Charges a use that stands alone unless it is refused.
  std::optional<ThroughputLimit> RefusalOrCharge(const LabUse& use, Micros now) {
    if (use.partition != LabUse::kNowhere) model_.SetLikely(use.partition);
    return model_.RefusalOrCharge(use.kind, use.position.view(), use.tokens, now);
  }
  // Counts an operation, whatever its result.
  void CountAsked(const LabUse& use) { record_.CountAsked(use); }
  void Charge(const LabUse& use, Micros now) {
    model_.Charge(use.kind, use.position.view(), use.tokens, now);
  }
  // Counts a charged use. `items`: the change of the number of items, negative for deletions, by
  // which the use's added bytes are multiplied.
  void Record(const LabUse& use, double units, double items, Micros now);
  // The same for a use of a bulk put, which is not charged, and returns the bytes of vector
  // indexes.
  double RecordBulk(const LabUse& use, double items, Micros now);
  // Time to live deletes a part of an item. `items`: the change of their number, negative.
  void Expire(const ExpiringItem::Part& part, double items, Micros now);
  // Counts an attempt that Refusal throttled, and its limit.
  void CountThrottle(const LabUse& use, ThroughputLimit limit) {
    record_.CountThrottle(use, limit);
  }

  bool limits_collections() const { return collections_.has_value(); }
  // Whether the item collection of a write can grow by the bytes that the write adds.
  bool HasRoomFor(const LabUse& use) const {
    return !collections_ || collections_->HasRoomFor(use, use.added_bytes * weight_);
  }
  void CountRefused(const LabUse& use, Micros now) { collections_->CountRefused(use, now); }

  // At the end of each second, of each interval, and of the run.
  void CloseSecond(Micros now);
  void CloseInterval(Micros now);
  ResourceResult Finish();

  int64_t bytes() const { return bytes_; }
  // A model with its present partitions, none of which ever splits, and only their limits.
  std::unique_ptr<ThroughputModel> MakePartitionLimits(Micros now) const;

 private:
  // Fewer are in the caches anyway.
  bool has_many_partitions() const { return model_.partitions().size() > 64; }
  void Scale(Micros now);
  void AddBytes(const LabPosition& position, int64_t bytes, Micros now);
  double CountVectors(const LabUse& use, double items);
  void AddVectors(int64_t item_bytes, double items);
  void CountChanges(const LabPosition& position, int64_t bytes, double count, bool has_one_image);

  const CapacitySettings settings_;
  ThroughputModel model_;
  TableRates rates_;
  std::optional<AutoScaler> scaler_;
  const int64_t writes_;         // per write: the item's and those of its local entries
  const int64_t weight_;         // operations for each simulated one
  const double utilization_;     // the usable part of its capacity
  Micros closed_ = 0;            // the last second that was closed
  PerKind<double> provisioned_;  // units, weighted by microseconds
  PerKind<double> in_minute_;    // consumed units
  std::vector<ScalingEvent> scalings_;
  const std::vector<VectorIndexDesign>& vector_indexes_;  // of a table
  double vector_bytes_ = 0;
  double vector_written_bytes_ = 0;
  int64_t bytes_;
  double expired_ = 0;
  double expired_units_ = 0;
  std::optional<ItemCollections> collections_;  // of a table with local indexes
  const bool is_index_;
  const double replicas_;
  double replicated_units_ = 0;
  std::optional<StreamShards> stream_;
  const int64_t stream_images_;
  size_t last_partition_ = 0;   // to which the last stream record went
  const bool follows_changes_;  // whether it has replicas or a stream
  ResourceRecord record_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MODEL_SIMULATED_RESOURCE_H_
