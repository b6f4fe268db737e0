#include "tools/dynolith/capacity_admin.h"

#include <memory>
#include <vector>

#include "api/json/capacity_text.h"
#include "api/json/single_member.h"
#include "api/request/operation_context.h"
#include "engine/base/errors.h"
#include "engine/base/messages/admin.h"
#include "tools/dynolith/admin_error.h"
#include "tools/dynolith/admin_query.h"

namespace dynolith {
namespace {

constexpr std::string_view kCapacity = "/_dynolith/capacity";

}  // namespace

bool CapacityAdmin::IsPath(std::string_view path) { return path == kCapacity; }

void CapacityAdmin::Answer(const http::Request& request, http::Response* response) const {
  if (request.method_text == "POST") return Set(request.body, response);
  if (request.method_text != "GET") return AnswerWrongMethod(kCapacity, "GET, POST", response);
  if (!request.body.empty() && !IsEmptyObject(request.body)) {
    return AnswerAdminError(400, messages::AdminEmptyBodyWanted(), response);
  }
  Report(request, response);
}

void CapacityAdmin::Report(const http::Request& request, http::Response* response) const {
  const auto parameters = ParseAdminQuery(request.query());
  for (const auto& [name, value] : parameters) {
    if (name == "table") continue;
    return AnswerAdminError(400, messages::AdminNoSuchParameter(kCapacity, name), response);
  }
  const auto table = parameters.find("table");
  if (table == parameters.end()) return ReportAll(response);
  ReportTable(table->second, response);
}

void CapacityAdmin::ReportTable(std::string_view table, http::Response* response) const {
  const absl::StatusOr<CapacityReport> report = database_->ReportCapacity(table);
  if (!report.ok()) return AnswerTableError(report.status(), response);
  AppendCapacityReports({*report}, &response->body);
}

void CapacityAdmin::ReportAll(http::Response* response) const {
  std::vector<CapacityReport> reports;
  for (const std::shared_ptr<Table>& table : ContextOf(*database_).catalog->All()) {
    absl::StatusOr<CapacityReport> report = database_->ReportCapacity(table->meta()->schema.name);
    // Those that are going meanwhile have nothing to report.
    if (report.ok()) reports.push_back(*std::move(report));
  }
  AppendCapacityReports(reports, &response->body);
}

void CapacityAdmin::Set(std::string_view body, http::Response* response) const {
  const absl::StatusOr<CapacityChange> change = ReadCapacityChange(body);
  if (!change.ok()) return AnswerAdminError(400, MessageOf(change.status()), response);
  const absl::Status status = database_->SetCapacity(change->table, change->options);
  if (!status.ok()) return AnswerTableError(status, response);
  ReportTable(change->table, response);
}

}  // namespace dynolith
