// The part of the admin endpoint that holds eventually consistent reads. Texts:
// api/service/staleness_text.h.
//
//   GET  /_dynolith/staleness               -> the rules and holds
//   POST /_dynolith/staleness/hold    scope -> the same
//   POST /_dynolith/staleness/release scope -> the same
#ifndef DYNOLITH_API_SERVICE_STALENESS_ADMIN_H_
#define DYNOLITH_API_SERVICE_STALENESS_ADMIN_H_

#include <string_view>

#include "api/json/json_response.h"
#include "api/service/admin_request.h"
#include "dynolith/database.h"

namespace dynolith {

// Thread-safe.
class StalenessAdmin {
 public:
  // Borrows the database.
  explicit StalenessAdmin(Database* database) : database_(database) {}

  static bool IsPath(std::string_view path);
  // Requires: IsPath, and the caller is permitted.
  void Answer(const AdminRequest& request, JsonResponse* answer) const;

 private:
  void HoldOrRelease(const AdminRequest& request, JsonResponse* answer) const;

  Database* const database_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_STALENESS_ADMIN_H_
