// The query of a request to the admin endpoint: "table=music&index=by-year".
#ifndef DYNOLITH_TOOLS_DYNOLITH_ADMIN_QUERY_H_
#define DYNOLITH_TOOLS_DYNOLITH_ADMIN_QUERY_H_

#include <map>
#include <string_view>

namespace dynolith {

// Parameters by name, as they stand there: names of tables and indexes need no escapes. Borrows.
std::map<std::string_view, std::string_view> ParseAdminQuery(std::string_view query);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_ADMIN_QUERY_H_
