#include "tools/dynolith/admin_query.h"

namespace dynolith {

std::map<std::string_view, std::string_view> ParseAdminQuery(std::string_view query) {
  std::map<std::string_view, std::string_view> parameters;
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(part.size() == query.size() ? part.size() : part.size() + 1);
    const size_t equals = part.find('=');
    const bool has_value = equals != std::string_view::npos;
    parameters[part.substr(0, equals)] = has_value ? part.substr(equals + 1) : std::string_view();
  }
  return parameters;
}

}  // namespace dynolith
