// Requests that are drawn some ahead of their time, so that what they will read can be loaded into
// the CPU's caches meanwhile. They are the same as if each was drawn at its time, since no request
// depends on the results of others in the same second.
#ifndef DYNOLITH_TOOLS_LAB_LOAD_DRAWN_REQUESTS_H_
#define DYNOLITH_TOOLS_LAB_LOAD_DRAWN_REQUESTS_H_

#include <cstddef>
#include <vector>

#include "absl/functional/function_ref.h"
#include "tools/lab/load/access_plan.h"
#include "tools/lab/load/request_schedule.h"

namespace dynolith::lab {

// Thread-compatible.
class DrawnRequests {
 public:
  struct Request {
    Micros at = 0;
    size_t access = 0;
    size_t operations_end = 0;  // of operations(); they begin at the previous request's end
  };

  bool is_empty() const { return at_ == requests_.size(); }
  // Requires: there is one.
  const Request& next() const { return requests_[at_]; }
  // Draws requests before `end`, if there are any, from the schedule and their plans. What has no
  // operations yet (Access::has_operations) gets none; requests without a plan (nullptr) are left
  // out. Requires: none are left, and `end` lies in the schedule's current second.
  void Draw(Micros end, RequestSchedule* schedule,
            absl::FunctionRef<AccessPlan*(size_t access)> plan_of);
  DrawnOperations& operations() { return operations_; }
  // Removes the next request and calls `run` with each of its operations.
  void Take(absl::FunctionRef<void(LabUses*)> run);

 private:
  // So many stay in a core's first cache.
  static constexpr size_t kAhead = 32;

  std::vector<Request> requests_;
  size_t at_ = 0;  // of requests_: the next one
  DrawnOperations operations_;
  size_t operation_ = 0;  // the next request's first one
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_LOAD_DRAWN_REQUESTS_H_
