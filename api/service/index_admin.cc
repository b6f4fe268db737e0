#include "api/service/index_admin.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "api/json/index_text.h"
#include "api/json/single_member.h"
#include "api/request/operation_context.h"
#include "api/service/admin_error.h"
#include "api/service/admin_query.h"
#include "api/service/messages.h"

namespace dynolith {
namespace {

constexpr std::string_view kIndexes = "/_dynolith/indexes";

std::vector<IndexReport> ReportAll(const Database& database) {
  std::vector<IndexReport> reports;
  for (const std::shared_ptr<Table>& table : ContextOf(database).catalog->All()) {
    absl::StatusOr<IndexReport> report = database.ReportIndexes(table->meta()->schema.name);
    // Indexes that are created or deleted meanwhile have no report.
    if (report.ok()) reports.push_back(*std::move(report));
  }
  return reports;
}

}  // namespace

bool IndexAdmin::IsPath(std::string_view path) { return path == kIndexes; }

void IndexAdmin::Answer(const AdminRequest& request, JsonResponse* answer) const {
  if (request.method != "GET") return AnswerWrongMethod(request.path, "GET", answer);
  if (!request.body.empty() && !IsEmptyObject(request.body)) {
    return AnswerAdminError(400, messages::AdminEmptyBodyWanted(), answer);
  }
  const std::optional<AdminParameters> parameters = ReadAdminParameters(request, {"table"}, answer);
  if (!parameters) return;
  const auto table = parameters->find("table");
  if (table == parameters->end()) {
    return AppendIndexReports(ReportAll(*database_), &answer->body);
  }
  const absl::StatusOr<IndexReport> report = database_->ReportIndexes(table->second);
  if (!report.ok()) return AnswerTableError(report.status(), answer);
  AppendIndexReports({*report}, &answer->body);
}

}  // namespace dynolith
