// The part of the admin endpoint that shows over how many shards global indexes are spread, how far
// those are that are being filled or moved, and which tags for shards have no index.
//
//   GET /_dynolith/indexes, .../_dynolith/indexes?table=music -> {"tables": [{"table": "music",
//   …}]}
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
  // Requires: IsPath, and that who asks may.
  void Answer(const AdminRequest& request, JsonResponse* answer) const;

 private:
  Database* const database_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_INDEX_ADMIN_H_
