// What a server says of a database that follows another process's (`serve --follow`).
//
//   GET /_dynolith/following -> {"asOf": time, "behindSeconds": n, "failure": text}
#ifndef DYNOLITH_TOOLS_SERVER_FOLLOWING_H_
#define DYNOLITH_TOOLS_SERVER_FOLLOWING_H_

#include <string_view>

#include "api/json/json_response.h"
#include "api/service/admin_request.h"
#include "api/service/database_instance.h"
#include "dynolith/database.h"
#include "tools/server/metrics/metric_families.h"

namespace dynolith {

bool IsFollowingPath(std::string_view path);
void AnswerFollowing(const AdminRequest& request, DatabaseInstance* database, JsonResponse* answer);
void AddFollowingMetrics(const Database& database, MetricFamilies* families);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_SERVER_FOLLOWING_H_
