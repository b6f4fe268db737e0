// The part of the admin endpoint that makes and deletes named databases.
//
//   GET    /_dynolith/databases                                     -> {"databases": [name, …]}
//   POST   /_dynolith/databases {"name": "test1"}                   -> {}; it is empty
//   POST   /_dynolith/databases {"name": "test1", "from": "base"}   -> {}; as "base" is now
//          "snapshot": "loaded"  as in that snapshot; without "from" one of the first database,
//                                which has no name
//   DELETE /_dynolith/databases/test1                               -> {}
#ifndef DYNOLITH_API_SERVICE_DATABASES_ADMIN_H_
#define DYNOLITH_API_SERVICE_DATABASES_ADMIN_H_

#include <string_view>

#include "api/json/json_response.h"
#include "api/service/admin_request.h"
#include "api/service/named_databases.h"

namespace dynolith {

// Thread-safe.
class DatabasesAdmin {
 public:
  // Borrows the databases.
  explicit DatabasesAdmin(NamedDatabases* databases) : databases_(databases) {}

  static bool IsPath(std::string_view path);
  // Requires: IsPath, and the caller is permitted.
  void Answer(const AdminRequest& request, JsonResponse* answer) const;

 private:
  void List(JsonResponse* answer) const;
  void Create(std::string_view body, JsonResponse* answer) const;

  NamedDatabases* const databases_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_DATABASES_ADMIN_H_
