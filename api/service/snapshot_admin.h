// The part of the admin endpoint that keeps named states of the database and goes back to them.
//
//   GET    /_dynolith/snapshots                  -> {"snapshots": [name, …]}
//   POST   /_dynolith/snapshot  {"name": "base"} -> the same; one that had the name goes
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
  // Requires: IsPath, and that who asks may.
  void Answer(const AdminRequest& request, JsonResponse* answer) const;

 private:
  void List(JsonResponse* answer) const;
  void Remove(const AdminRequest& request, JsonResponse* answer) const;

  RestorableDatabase* const database_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_SNAPSHOT_ADMIN_H_
