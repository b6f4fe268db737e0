// The part of the admin endpoint that reads and advances the clock, and sweeps.
//
//   GET  /_dynolith/clock                        -> {"now": seconds, "mode": "manual" | "system"}
//   POST /_dynolith/clock/advance {"seconds": n} -> the same
//   POST /_dynolith/clock/set     {"now": t}     -> the same; seconds or "2026-01-31T12:00:00Z"
//   POST /_dynolith/ttl/sweep                    -> {"deleted": items}
#ifndef DYNOLITH_API_SERVICE_CLOCK_ADMIN_H_
#define DYNOLITH_API_SERVICE_CLOCK_ADMIN_H_

#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "api/json/json_response.h"
#include "api/service/admin_request.h"
#include "dynolith/database.h"
#include "engine/base/clock.h"

namespace dynolith {

// Thread-safe.
class ClockAdmin {
 public:
  // Borrows the database, and its clock; nullptr: that is the machine's.
  ClockAdmin(Database* database, ManualClock* clock) : database_(database), clock_(clock) {}

  static bool IsPath(std::string_view path);
  // Requires: IsPath, and the caller is permitted.
  void Answer(const AdminRequest& request, JsonResponse* answer);

 private:
  void Show(JsonResponse* answer) const;
  void Advance(std::string_view body, JsonResponse* answer);
  void Set(std::string_view body, JsonResponse* answer);
  // Sets the clock unless that would be backwards or too far, and waits for the work that becomes
  // due.
  void MoveTo(absl::Time time, JsonResponse* answer) ABSL_EXCLUSIVE_LOCKS_REQUIRED(moving_);
  void Sweep(std::string_view body, JsonResponse* answer);

  Database* const database_;
  ManualClock* const clock_;
  absl::Mutex moving_;  // held from the reading of the clock to its change
};

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_CLOCK_ADMIN_H_
