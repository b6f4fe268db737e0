// The part of the admin endpoint that shows the shards of global indexes, the progress of those
// that are being filled or resharded, and tags for shards without an index.
//
//   GET /_dynolith/indexes                -> {"tables": [{"table": "music", …}, …]}
//   GET /_dynolith/indexes?table=music    -> the same, of one
#ifndef DYNOLITH_API_SERVICE_INDEX_ADMIN_H_
#define DYNOLITH_API_SERVICE_INDEX_ADMIN_H_

#include <string_view>

#include "api/json/json_response.h"
#include "api/service/admin_request.h"
#include "dynolith/database.h"

namespace dynolith {

// Thread-safe.
class IndexAdmin {
 public:
  // Borrows the database.
  explicit IndexAdmin(Database* database) : database_(database) {}

  static bool IsPath(std::string_view path);
  // Requires: IsPath, and the caller is permitted.
  void Answer(const AdminRequest& request, JsonResponse* answer) const;

 private:
  Database* const database_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_INDEX_ADMIN_H_
