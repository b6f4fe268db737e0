// A table or an index in a simulation: the server's own model of its throughput, and a record of
// what it did.
#ifndef DYNOLITH_TOOLS_LAB_MODEL_SIMULATED_RESOURCE_H_
#define DYNOLITH_TOOLS_LAB_MODEL_SIMULATED_RESOURCE_H_

#include <cstdint>
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
  // All are borrowed; `nodes` may be nullptr.
  SimulatedResource(const Experiment& experiment, const CapacitySettings& settings,
                    const ResourceDesign& design, Nodes* nodes, const RunIntervals& intervals);

  std::optional<ThroughputLimit> Refusal(const LabUse& use, Micros now) {
    return model_.Refusal(use.kind, use.position.view().key, now);
  }
  // An operation has come, whatever becomes of it.
  void CountAsked(const LabUse& use) { record_.CountAsked(use); }
  // `items`: how often what the use adds is added to what is stored; below 0 it is taken away.
  void Charge(const LabUse& use, double items, Micros now);
  // Time to live deletes a part of an item. `items`: how often, below 0.
  void Expire(const ExpiringItem::Part& part, double items, Micros now);
  // Refusal has named the limit.
  void CountThrottle(const LabUse& use, ThroughputLimit limit) {
    record_.CountThrottle(use, limit);
  }

  // Whether the item collection of a write may grow by what the write adds.
  bool HasRoomFor(const LabUse& use) const {
    return !collections_ || collections_->HasRoomFor(use, use.added_bytes * weight_);
  }
  void CountRefused(const LabUse& use, Micros now) { collections_->CountRefused(use, now); }

  // At the end of each second, of each interval, and of the run.
  void CloseSecond(Micros now);
  void CloseInterval(Micros now);
  ResourceResult Finish();

  int64_t bytes() const { return bytes_; }

 private:
  void Scale(Micros now);
  void AddBytes(const LabPosition& position, int64_t bytes, Micros now);
  void CountChanges(const LabPosition& position, int64_t bytes, double count, bool has_one_image);

  ThroughputModel model_;
  TableRates rates_;
  std::optional<AutoScaler> scaler_;
  const int64_t writes_;         // of a write: its item's, and those of local entries
  const int64_t weight_;         // operations for each one that is simulated
  const double utilization_;     // of what it is given, that may be taken
  Micros closed_ = 0;            // the last second that was closed
  PerKind<double> provisioned_;  // units, weighted by microseconds
  PerKind<double> in_minute_;    // units that were consumed
  std::vector<ScalingEvent> scalings_;
  int64_t bytes_;
  double expired_ = 0;
  double expired_units_ = 0;
  std::optional<ItemCollections> collections_;  // of a table with local indexes
  const bool is_index_;
  const double replicas_;
  double replicated_units_ = 0;
  std::optional<StreamShards> stream_;
  const int64_t stream_images_;
  size_t last_partition_ = 0;   // that had a record
  const bool follows_changes_;  // has replicas, or a stream
  ResourceRecord record_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MODEL_SIMULATED_RESOURCE_H_
