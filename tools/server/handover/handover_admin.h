// The part of the admin endpoint that hands tables over.
//
//   GET    /_dynolith/handovers            -> {"handovers": [{"table": "music", "state": "forward",
//                                             "to": url, "forwarded": 7, "failed": 0,
//                                             "refused": 3}, …]} of one database
//   POST   /_dynolith/handovers handover   -> {}: {"table": "music", "state": "refuse"}, then
//                                             {"table": "music", "state": "forward", "to": url},
//                                             and "region", "profile", "certificates"
//   DELETE /_dynolith/handovers/music      -> {}, or 404
#ifndef DYNOLITH_TOOLS_SERVER_HANDOVER_HANDOVER_ADMIN_H_
#define DYNOLITH_TOOLS_SERVER_HANDOVER_HANDOVER_ADMIN_H_

#include <string>
#include <string_view>

#include "api/json/json_response.h"
#include "api/service/admin_request.h"
#include "api/service/database_instance.h"
#include "tools/server/handover/handovers.h"

namespace dynolith::handover {

// Thread-safe.
class HandoverAdmin {
 public:
  // Borrows both. `name`: of the database; empty: the first.
  HandoverAdmin(Handovers* handovers, const DatabaseInstance* database, std::string name)
      : handovers_(handovers), database_(database), name_(std::move(name)) {}

  static bool IsPath(std::string_view path);
  // Requires: IsPath, and the caller is permitted.
  void Answer(const AdminRequest& request, JsonResponse* answer) const;

 private:
  void List(JsonResponse* answer) const;
  void Change(std::string_view body, JsonResponse* answer) const;
  void Refuse(const std::string& table, JsonResponse* answer) const;
  // Of a bulk operation that is writing to the table; empty: there is none.
  std::string RunningBulkOperation(const std::string& table) const;

  Handovers* const handovers_;
  const DatabaseInstance* const database_;
  const std::string name_;
};

}  // namespace dynolith::handover

#endif  // DYNOLITH_TOOLS_SERVER_HANDOVER_HANDOVER_ADMIN_H_
