// A request to the admin endpoint, without HTTP.
#ifndef DYNOLITH_API_SERVICE_ADMIN_REQUEST_H_
#define DYNOLITH_API_SERVICE_ADMIN_REQUEST_H_

#include <string_view>

namespace dynolith {

// The beginning of every path.
inline constexpr std::string_view kAdminFolder = "/_dynolith";

struct AdminRequest {
  std::string_view method;  // "GET"
  std::string_view path;    // "/_dynolith/hot-keys"
  std::string_view query;   // "table=music"
  std::string_view body;    // JSON; may be empty
};

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_ADMIN_REQUEST_H_
