#include "api/service/admin_query.h"

#include <algorithm>

#include "api/service/admin_error.h"
#include "api/service/messages.h"

namespace dynolith {

AdminParameters ParseAdminQuery(std::string_view query) {
  AdminParameters parameters;
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(part.size() == query.size() ? part.size() : part.size() + 1);
    const size_t equals = part.find('=');
    const bool has_value = equals != std::string_view::npos;
    parameters[part.substr(0, equals)] = has_value ? part.substr(equals + 1) : std::string_view();
  }
  return parameters;
}

std::optional<AdminParameters> ReadAdminParameters(const AdminRequest& request,
                                                   std::initializer_list<std::string_view> known,
                                                   JsonResponse* answer) {
  AdminParameters parameters = ParseAdminQuery(request.query);
  for (const auto& [name, value] : parameters) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    AnswerAdminError(400, messages::AdminNoSuchParameter(request.path, name), answer);
    return std::nullopt;
  }
  return parameters;
}

}  // namespace dynolith
