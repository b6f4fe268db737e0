#include "tools/lab/model/bulk_put.h"

#include <algorithm>

namespace dynolith::lab {
namespace {

// Before it looks again whether a partition has capacity.
constexpr Micros kPause = kSecond / 1'000;

}  // namespace

BulkPutWork::BulkPutWork(size_t access, AccessPlan* plan,
                         const std::vector<std::unique_ptr<SimulatedResource>>& resources,
                         Micros now)
    : access_(access),
      plan_(plan),
      resources_(resources),
      begun_(now),
      left_(plan->access().bulk->items),
      due_(static_cast<double>(now)),
      limits_(resources.size()) {}

std::optional<Micros> BulkPutWork::Step(Micros now, absl::FunctionRef<void(const LabUses&)> write) {
  if (item_.size() == 0) plan_->Request(now, &item_);
  const LabUses& uses = item_[0];
  double units = 0;
  bool has_room = true;
  for (const LabUse& use : uses) {
    std::unique_ptr<ThroughputModel>& limit = limits_[use.resource];
    if (limit == nullptr) limit = resources_[use.resource]->MakePartitionLimits(now);
    has_room = has_room && !limit->Refusal(use.kind, use.position.view().key, now);
    units += static_cast<double>(use.tokens) / static_cast<double>(kTokensPerUnit);
  }
  if (!has_room) {
    waited_ += kPause;
    return now + kPause;
  }
  for (const LabUse& use : uses) {
    limits_[use.resource]->Charge(use.kind, use.position.view(), use.tokens, now);
  }
  write(uses);
  item_.Clear();
  if (--left_ == 0) return std::nullopt;
  const double seconds = units / static_cast<double>(plan_->access().bulk->units);
  // What was not written while it waited is not made up for.
  due_ = std::max(due_, static_cast<double>(now)) + seconds * static_cast<double>(kSecond);
  return static_cast<Micros>(due_);
}

}  // namespace dynolith::lab
