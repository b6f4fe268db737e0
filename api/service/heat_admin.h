// The part of the admin endpoint that shows the distribution of accesses, for the live page. It is
// recorded only on request, and for a minute longer. Text: api/json/heat_text.h.
//
//   POST /_dynolith/heat {"table": "music"}  -> {"table": "music", "seconds": 60}
//        from now on, and for so long after each such request, heat is recorded and hot keys are
//        watched, for the table and its global indexes
//   GET  /_dynolith/heat?table=music&index=by-year&since=1790856000 -> {"table": "music", …}
#ifndef DYNOLITH_API_SERVICE_HEAT_ADMIN_H_
#define DYNOLITH_API_SERVICE_HEAT_ADMIN_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "api/json/json_response.h"
#include "api/service/admin_request.h"
#include "dynolith/database.h"

namespace dynolith {

// Thread-safe.
class HeatAdmin {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kLease{60};
  // With more tables, those whose lease ends first are no longer watched: each takes megabytes.
  static constexpr size_t kTablesMax = 8;

  // Borrows the database. `now`: the machine's clock, since leases belong to real viewers.
  explicit HeatAdmin(
      Database* database,
      std::function<Time()> now = [] { return std::chrono::steady_clock::now(); })
      : database_(database), now_(std::move(now)) {}

  static bool IsPath(std::string_view path);
  // Requires: IsPath, and the caller is permitted.
  void Answer(const AdminRequest& request, JsonResponse* answer) ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends expired recordings. Call it every few seconds.
  void EndIdle() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Report(const AdminRequest& request, JsonResponse* answer) const;
  void Watch(std::string_view body, JsonResponse* answer) ABSL_LOCKS_EXCLUDED(mutex_);
  void End(std::map<std::string, Time>::iterator lease) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Database* const database_;
  const std::function<Time()> now_;
  absl::Mutex mutex_;
  std::map<std::string, Time> ends_ ABSL_GUARDED_BY(mutex_);  // by table
};

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_HEAT_ADMIN_H_
