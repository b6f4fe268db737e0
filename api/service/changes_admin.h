// The part of the admin endpoint that reads a table's changes in order (dynolith/changes.h).
//
//   GET /_dynolith/changes?table=music          -> {"from": "…", "changes": [], "place": "…"}
//   …?table=music&after=PLACE&most=100&wait=1   -> {"from": "…", "changes": [{"place": "…",
//                                                   "record": {…}}, …], "place": "…"}
//   …, after the last one of a stream that ended -> …, "changes": [], "place": "…", "ended": true}
// "from" is the place where the answer begins, "place" where the next one does.
#ifndef DYNOLITH_API_SERVICE_CHANGES_ADMIN_H_
#define DYNOLITH_API_SERVICE_CHANGES_ADMIN_H_

#include <string_view>

#include "api/json/json_response.h"
#include "api/service/admin_request.h"
#include "dynolith/database.h"

namespace dynolith {

// Thread-safe.
class ChangesAdmin {
 public:
  // Borrows the database.
  explicit ChangesAdmin(Database* database) : database_(database) {}

  static bool IsPath(std::string_view path);
  // Waits for up to the second that a request may ask for. Requires: IsPath, and the caller is
  // permitted.
  void Answer(const AdminRequest& request, JsonResponse* answer) const;

 private:
  Database* const database_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_CHANGES_ADMIN_H_
