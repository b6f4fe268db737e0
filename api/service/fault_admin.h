// The part of the admin endpoint for fault injection (dynolith/faults.h). The form of a rule:
// api/json/fault_rule_text.h.
//
//   GET    /_dynolith/faults      -> {"faults": [{"id": 1, …, "matches": 5, "hits": 2, …}, …]}
//   POST   /_dynolith/faults rule -> {"id": 1}
//   DELETE /_dynolith/faults      -> {}: all
//   DELETE /_dynolith/faults/1    -> {}, or 404
#ifndef DYNOLITH_API_SERVICE_FAULT_ADMIN_H_
#define DYNOLITH_API_SERVICE_FAULT_ADMIN_H_

#include <string_view>

#include "api/json/json_response.h"
#include "api/service/admin_request.h"
#include "dynolith/database.h"

namespace dynolith {

// Thread-safe.
class FaultAdmin {
 public:
  // Borrows the database.
  explicit FaultAdmin(Database* database) : database_(database) {}

  static bool IsPath(std::string_view path);
  // Requires: IsPath, and the caller is permitted.
  void Answer(const AdminRequest& request, JsonResponse* answer) const;

 private:
  void List(JsonResponse* answer) const;
  void Add(std::string_view body, JsonResponse* answer) const;
  // `id` as in the path.
  void Remove(std::string_view id, JsonResponse* answer) const;

  Database* const database_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_FAULT_ADMIN_H_
