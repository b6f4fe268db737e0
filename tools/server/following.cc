#include "tools/server/following.h"

#include "absl/time/time.h"
#include "api/json/json_member.h"
#include "api/json/json_writer.h"
#include "api/service/admin_error.h"
#include "api/service/messages.h"
#include "api/service/time_text.h"
#include "engine/base/errors.h"

namespace dynolith {

bool IsFollowingPath(std::string_view path) { return path == "/_dynolith/following"; }

void AnswerFollowing(const AdminRequest& request, DatabaseInstance* database,
                     JsonResponse* answer) {
  if (request.method != "GET") return AnswerWrongMethod(request.path, "GET", answer);
  const DatabaseInstance::Use use = database->Begin();
  if (!use) return AnswerAdminError(503, messages::DatabaseNotOpen(), answer);
  const FollowReport report = use.database()->ReportFollowing();
  JsonWriter writer(&answer->body);
  writer.BeginObject();
  WriteText(&writer, "asOf", TimeText(report.as_of));
  writer.Key("behindSeconds");
  writer.Double(absl::ToDoubleSeconds(report.behind));
  if (!report.failure.ok()) WriteText(&writer, "failure", MessageOf(report.failure));
  writer.EndObject();
}

void AddFollowingMetrics(const Database& database, MetricFamilies* families) {
  const FollowReport report = database.ReportFollowing();
  AddLevel("follow_lag_seconds", "How far the database is behind the process that writes to it.",
           absl::ToDoubleSeconds(report.behind), families);
}

}  // namespace dynolith
