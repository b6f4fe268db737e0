#include "tools/lab/load/drawn_requests.h"

namespace dynolith::lab {

void DrawnRequests::Draw(Micros end, RequestSchedule* schedule,
                         absl::FunctionRef<AccessPlan*(size_t access)> plan_of) {
  requests_.clear();
  operations_.Clear();
  at_ = 0;
  operation_ = 0;
  while (operations_.size() < kAhead && requests_.size() < kAhead) {
    const Micros at = schedule->next();
    if (at >= end) return;
    const size_t access = schedule->Take();
    AccessPlan* const plan = plan_of(access);
    if (plan == nullptr) continue;
    if (plan->access().has_operations()) plan->Request(at, &operations_);
    requests_.push_back({at, access, operations_.size()});
  }
}

void DrawnRequests::Take(absl::FunctionRef<void(LabUses*)> run) {
  const size_t end = requests_[at_++].operations_end;
  while (operation_ < end) run(&operations_[operation_++]);
}

}  // namespace dynolith::lab
