// The part of the admin endpoint that shows and sets what tables can take, and shows which keys are
// hot. Texts: api/json/capacity_text.h, api/json/hot_keys_text.h.
//
//   GET  /_dynolith/capacity              -> {"tables": [{"table": "music", "mode": …}, …]}
//   GET  /_dynolith/capacity?table=music  -> the same, of one
//   POST /_dynolith/capacity {"table": "music", "mode": "enforce", "scale": 0.01} -> as the last
//   one
//   GET  /_dynolith/hot-keys?table=music&index=by-year -> {"table": "music", "watched": true, …}
#ifndef DYNOLITH_TOOLS_DYNOLITH_CAPACITY_ADMIN_H_
#define DYNOLITH_TOOLS_DYNOLITH_CAPACITY_ADMIN_H_

#include <string_view>

#include "dynolith/database.h"
#include "tools/http/request.h"
#include "tools/http/response.h"

namespace dynolith {

// Thread-safe.
class CapacityAdmin {
 public:
  // Borrows the database.
  explicit CapacityAdmin(Database* database) : database_(database) {}

  static bool IsPath(std::string_view path);
  // Requires: IsPath, and that who asks may.
  void Answer(const http::Request& request, http::Response* response) const;

 private:
  void Report(const http::Request& request, http::Response* response) const;
  void ReportTable(std::string_view table, http::Response* response) const;
  void ReportAll(http::Response* response) const;
  void ReportHotKeys(const http::Request& request, http::Response* response) const;
  void Set(std::string_view body, http::Response* response) const;

  Database* const database_;
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_CAPACITY_ADMIN_H_
