// The part of the admin endpoint for the regions of a server, and the changes between them.
//
//   GET  /_dynolith/regions         -> {"regions": [{"name": "us-east-1", "tables": 2,
//                                                    "conflicts": 0}, …],
//                                       "links": [{"from": …, "to": …, "pending": 3,
//                                                  "behind_milliseconds": 1500, …}, …],
//                                       "tables": [{"name": "orders", "consistency": "STRONG",
//                                                   "regions": […], "witness": …}, …]}
//                                      the first one gets calls without a signature; none: there
//                                      is only one
//   POST /_dynolith/regions/lag     {"seconds": 5}, {"seconds": 1, "most": 5, "seed": 7},
//                                   {"paused": true}; "from", "to": one region -> {}
//   POST /_dynolith/regions/cut     {"region": "eu-west-1"} -> {}; nothing goes there or comes
//   POST /_dynolith/regions/overlap {"seconds": 2} -> {}; strong writes are under way for so long
//   POST /_dynolith/regions/release -> {}; no lag, no pause, no cut, no overlap
//   POST /_dynolith/regions/skew    {"region": "eu-west-1", "seconds": -2} -> {}
//   POST /_dynolith/regions/settle  -> {}, once everything that is due has arrived
#ifndef DYNOLITH_API_SERVICE_REGIONS_ADMIN_H_
#define DYNOLITH_API_SERVICE_REGIONS_ADMIN_H_

#include <string_view>

#include "api/json/json_response.h"
#include "api/service/admin_request.h"
#include "api/service/named_databases.h"

namespace dynolith {

// Thread-safe.
class RegionsAdmin {
 public:
  // Borrows the databases.
  explicit RegionsAdmin(NamedDatabases* databases) : databases_(databases) {}

  static bool IsPath(std::string_view path);
  // Requires: IsPath, and the caller is permitted.
  void Answer(const AdminRequest& request, JsonResponse* answer) const;
  // As DatabaseInstance::Answer, of one of the databases. Of several regions no one is taken back
  // by a snapshot, and what moves the clock of one moves all.
  bool AnswerOf(DatabaseInstance* database, const AdminRequest& request,
                JsonResponse* answer) const;

 private:
  void Show(JsonResponse* answer) const;
  absl::Status Turn(std::string_view dial, std::string_view body) const;

  NamedDatabases* const databases_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_REGIONS_ADMIN_H_
