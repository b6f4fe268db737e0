// The part of the admin endpoint that is about one database, not about a server: one for each
// database.
//
//   .../_dynolith/clock, .../_dynolith/ttl         -> clock_admin.h
//   .../_dynolith/staleness                        -> staleness_admin.h
//   .../_dynolith/faults                           -> fault_admin.h
//   .../_dynolith/capacity, .../_dynolith/hot-keys -> capacity_admin.h
//   .../_dynolith/heat                             -> heat_admin.h
//   .../_dynolith/indexes                          -> index_admin.h
//   .../_dynolith/changes                          -> changes_admin.h
//   failures                                       -> 4xx or 500 {"error": text}
#ifndef DYNOLITH_API_SERVICE_ADMIN_CALLS_H_
#define DYNOLITH_API_SERVICE_ADMIN_CALLS_H_

#include "api/json/json_response.h"
#include "api/service/admin_request.h"
#include "api/service/capacity_admin.h"
#include "api/service/changes_admin.h"
#include "api/service/clock_admin.h"
#include "api/service/fault_admin.h"
#include "api/service/heat_admin.h"
#include "api/service/index_admin.h"
#include "api/service/staleness_admin.h"
#include "dynolith/database.h"
#include "engine/base/clock.h"

namespace dynolith {

// Thread-safe.
class AdminCalls {
 public:
  // Borrows the database, and its clock; nullptr: that is the machine's.
  AdminCalls(Database* database, ManualClock* clock)
      : clock_(database, clock),
        staleness_(database),
        faults_(database),
        capacity_(database),
        heat_(database),
        indexes_(database),
        changes_(database) {}

  // Whether there is such a path; if not, there is no answer. Requires: the caller is permitted.
  bool Answer(const AdminRequest& request, JsonResponse* answer);

  // Ends recordings whose viewers have gone. Call it periodically.
  void EndIdle() { heat_.EndIdle(); }

 private:
  ClockAdmin clock_;
  const StalenessAdmin staleness_;
  const FaultAdmin faults_;
  const CapacityAdmin capacity_;
  HeatAdmin heat_;
  const IndexAdmin indexes_;
  const ChangesAdmin changes_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_ADMIN_CALLS_H_
