#include "api/service/capacity_admin.h"

#include <memory>
#include <optional>
#include <vector>

#include "api/json/capacity_text.h"
#include "api/json/hot_keys_text.h"
#include "api/json/single_member.h"
#include "api/request/messages.h"
#include "api/request/operation_context.h"
#include "api/service/admin_error.h"
#include "api/service/admin_query.h"
#include "api/service/messages.h"
#include "engine/base/errors.h"

namespace dynolith {
namespace {

constexpr std::string_view kCapacity = "/_dynolith/capacity";
constexpr std::string_view kHotKeys = "/_dynolith/hot-keys";

// The key schema of the reported table or index; nullopt: it was deleted meanwhile.
std::optional<KeySchema> FindKeySchema(const Database& database, const HotKeyReport& report) {
  const std::shared_ptr<Table> table = ContextOf(database).catalog->Find(report.table_name);
  if (table == nullptr) return std::nullopt;
  const std::shared_ptr<const TableMeta> meta = table->meta();
  if (report.index_name.empty()) return meta->schema.key;
  const IndexSchema* const index = meta->schema.FindIndex(report.index_name);
  return index != nullptr ? std::optional(index->key) : std::nullopt;
}

}  // namespace

bool CapacityAdmin::IsPath(std::string_view path) { return path == kCapacity || path == kHotKeys; }

void CapacityAdmin::Answer(const AdminRequest& request, JsonResponse* answer) const {
  const bool is_capacity = request.path == kCapacity;
  if (is_capacity && request.method == "POST") return Set(request.body, answer);
  if (request.method != "GET") {
    return AnswerWrongMethod(request.path, is_capacity ? "GET, POST" : "GET", answer);
  }
  if (!request.body.empty() && !IsEmptyObject(request.body)) {
    return AnswerAdminError(400, messages::AdminEmptyBodyWanted(), answer);
  }
  return is_capacity ? Report(request, answer) : ReportHotKeys(request, answer);
}

void CapacityAdmin::Report(const AdminRequest& request, JsonResponse* answer) const {
  const std::optional<AdminParameters> parameters = ReadAdminParameters(request, {"table"}, answer);
  if (!parameters) return;
  const auto table = parameters->find("table");
  if (table == parameters->end()) return ReportAll(answer);
  ReportTable(table->second, answer);
}

void CapacityAdmin::ReportHotKeys(const AdminRequest& request, JsonResponse* answer) const {
  const std::optional<AdminParameters> parameters =
      ReadAdminParameters(request, {"table", "index"}, answer);
  if (!parameters) return;
  const auto table = parameters->find("table");
  if (table == parameters->end()) {
    return AnswerAdminError(400, messages::AdminParameterWanted(kHotKeys, "table"), answer);
  }
  const auto index = parameters->find("index");
  const absl::StatusOr<HotKeyReport> report = database_->ReportHotKeys(
      table->second, index == parameters->end() ? std::string_view() : index->second);
  if (!report.ok()) return AnswerTableError(report.status(), answer);
  const std::optional<KeySchema> schema = FindKeySchema(*database_, *report);
  if (!schema) return AnswerAdminError(404, messages::ResourceNotFound(), answer);
  AppendHotKeys(*report, *schema, &answer->body);
}

void CapacityAdmin::ReportTable(std::string_view table, JsonResponse* answer) const {
  const absl::StatusOr<CapacityReport> report = database_->ReportCapacity(table);
  if (!report.ok()) return AnswerTableError(report.status(), answer);
  AppendCapacityReports({*report}, &answer->body);
}

void CapacityAdmin::ReportAll(JsonResponse* answer) const {
  std::vector<CapacityReport> reports;
  for (const std::shared_ptr<Table>& table : ContextOf(*database_).catalog->All()) {
    absl::StatusOr<CapacityReport> report = database_->ReportCapacity(table->meta()->schema.name);
    // Tables that are deleted meanwhile have no report.
    if (report.ok()) reports.push_back(*std::move(report));
  }
  AppendCapacityReports(reports, &answer->body);
}

void CapacityAdmin::Set(std::string_view body, JsonResponse* answer) const {
  const absl::StatusOr<CapacityChange> change = ReadCapacityChange(body);
  if (!change.ok()) return AnswerAdminError(400, MessageOf(change.status()), answer);
  const absl::Status status = database_->SetCapacity(change->table, change->options);
  if (!status.ok()) return AnswerTableError(status, answer);
  ReportTable(change->table, answer);
}

}  // namespace dynolith
