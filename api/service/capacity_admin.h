// The part of the admin endpoint that shows and sets the capacity of tables, and shows hot keys.
// Texts: api/json/capacity_text.h, api/json/hot_keys_text.h.
//
//   GET  /_dynolith/capacity              -> {"tables": [{"table": "music", "mode": …}, …]}
//   GET  /_dynolith/capacity?table=music  -> the same, of one
//   POST /_dynolith/capacity {"table": "music", "mode": "enforce", "scale": 0.01} -> as GET of one
//   GET  /_dynolith/hot-keys?table=music&index=by-year -> {"table": "music", "watched": true, …}
#ifndef DYNOLITH_API_SERVICE_CAPACITY_ADMIN_H_
#define DYNOLITH_API_SERVICE_CAPACITY_ADMIN_H_

#include <string_view>

#include "api/json/json_response.h"
#include "api/service/admin_request.h"
#include "dynolith/database.h"

namespace dynolith {

// Thread-safe.
class CapacityAdmin {
 public:
  // Borrows the database.
  explicit CapacityAdmin(Database* database) : database_(database) {}

  static bool IsPath(std::string_view path);
  // Requires: IsPath, and the caller is permitted.
  void Answer(const AdminRequest& request, JsonResponse* answer) const;

 private:
  void Report(const AdminRequest& request, JsonResponse* answer) const;
  void ReportTable(std::string_view table, JsonResponse* answer) const;
  void ReportAll(JsonResponse* answer) const;
  void ReportHotKeys(const AdminRequest& request, JsonResponse* answer) const;
  void Set(std::string_view body, JsonResponse* answer) const;

  Database* const database_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_CAPACITY_ADMIN_H_
