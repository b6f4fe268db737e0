// A bulk put under way: it writes item after item, so many units a second, and waits where a
// partition has no capacity left.
#ifndef DYNOLITH_TOOLS_LAB_MODEL_BULK_PUT_H_
#define DYNOLITH_TOOLS_LAB_MODEL_BULK_PUT_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "tools/lab/load/access_plan.h"
#include "tools/lab/model/simulated_resource.h"

namespace dynolith::lab {

// Thread-compatible. It takes nothing of the throughput of tables and indexes (README.md), only of
// their partitions, of which it sees those of its beginning.
class BulkPutWork {
 public:
  // `plan` and `resources` are borrowed.
  BulkPutWork(size_t access, AccessPlan* plan,
              const std::vector<std::unique_ptr<SimulatedResource>>& resources, Micros now);

  size_t access() const { return access_; }
  // Calls `write` with the uses of the next item, unless a partition has no capacity for it now.
  // Returns when to try the next one, or the same one again; nullopt if all items are written.
  std::optional<Micros> Step(Micros now, absl::FunctionRef<void(const LabUses&)> write);
  double waited_seconds() const { return static_cast<double>(waited_) * 1e-6; }
  Micros begun() const { return begun_; }

 private:
  const size_t access_;
  AccessPlan* const plan_;
  const std::vector<std::unique_ptr<SimulatedResource>>& resources_;
  const Micros begun_;
  int64_t left_;                                          // items
  double due_;                                            // of the next item
  std::vector<std::unique_ptr<ThroughputModel>> limits_;  // by resource; nullptr: not used yet
  DrawnOperations item_;                                  // if it has one, it waits
  Micros waited_ = 0;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MODEL_BULK_PUT_H_
