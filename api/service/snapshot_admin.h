// The part of the admin endpoint that makes named snapshots of the database and restores them.
//
//   GET    /_dynolith/snapshots                  -> {"snapshots": [name, …]}
//   POST   /_dynolith/snapshot  {"name": "base"} -> the same; replaces one of that name
//   POST   /_dynolith/restore   {"name": "base"} -> {}
//   DELETE /_dynolith/snapshots/base             -> {}
#ifndef DYNOLITH_API_SERVICE_SNAPSHOT_ADMIN_H_
#define DYNOLITH_API_SERVICE_SNAPSHOT_ADMIN_H_

#include <string_view>

#include "api/json/json_response.h"
#include "api/service/admin_request.h"
#include "dynolith/restorable_database.h"

namespace dynolith {

// Thread-safe.
class SnapshotAdmin {
 public:
  // Borrows the database.
  explicit SnapshotAdmin(RestorableDatabase* database) : database_(database) {}

  static bool IsPath(std::string_view path);
  // Whether a request with that path, unless it fails, makes the database what it was.
  static bool IsRestore(std::string_view path);
  // Requires: IsPath, and the caller is permitted.
  void Answer(const AdminRequest& request, JsonResponse* answer) const;

 private:
  void List(JsonResponse* answer) const;
  void Remove(const AdminRequest& request, JsonResponse* answer) const;

  RestorableDatabase* const database_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_SNAPSHOT_ADMIN_H_
