// The query of a request to the admin endpoint: "table=music&index=by-year".
#ifndef DYNOLITH_API_SERVICE_ADMIN_QUERY_H_
#define DYNOLITH_API_SERVICE_ADMIN_QUERY_H_

#include <initializer_list>
#include <map>
#include <optional>
#include <string_view>

#include "api/json/json_response.h"
#include "api/service/admin_request.h"

namespace dynolith {

// Parameters by name, unescaped: names of tables and indexes need no escapes. Borrows.
using AdminParameters = std::map<std::string_view, std::string_view>;
AdminParameters ParseAdminQuery(std::string_view query);

// Those of a request; nullopt if one is not among `known`; then it has been answered.
std::optional<AdminParameters> ReadAdminParameters(const AdminRequest& request,
                                                   std::initializer_list<std::string_view> known,
                                                   JsonResponse* answer);

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_ADMIN_QUERY_H_
