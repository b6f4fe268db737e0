#include "api/service/heat_admin.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <variant>

#include "api/json/heat_text.h"
#include "api/json/json_writer.h"
#include "api/json/messages.h"
#include "api/json/single_member.h"
#include "api/service/admin_error.h"
#include "api/service/admin_query.h"
#include "api/service/messages.h"
#include "api/service/time_text.h"

namespace dynolith {
namespace {

constexpr std::string_view kHeat = "/_dynolith/heat";
constexpr std::string_view kHeatExample = R"({"table": "music"})";

}  // namespace

bool HeatAdmin::IsPath(std::string_view path) { return path == kHeat; }

void HeatAdmin::Answer(const AdminRequest& request, JsonResponse* answer) {
  if (request.method == "POST") return Watch(request.body, answer);
  if (request.method != "GET") return AnswerWrongMethod(kHeat, "GET, POST", answer);
  if (!request.body.empty() && !IsEmptyObject(request.body)) {
    return AnswerAdminError(400, messages::AdminEmptyBodyWanted(), answer);
  }
  Report(request, answer);
}

void HeatAdmin::Report(const AdminRequest& request, JsonResponse* answer) const {
  const std::optional<AdminParameters> parameters =
      ReadAdminParameters(request, {"table", "index", "since"}, answer);
  if (!parameters) return;
  const auto of = [&](std::string_view name) {
    const auto found = parameters->find(name);
    return found == parameters->end() ? std::string_view() : found->second;
  };
  if (of("table").empty()) {
    return AnswerAdminError(400, messages::AdminParameterWanted(kHeat, "table"), answer);
  }
  absl::Time since = absl::UnixEpoch();
  if (!of("since").empty()) {
    const std::optional<absl::Time> time = ParseTimeText(of("since"));
    if (!time) return AnswerAdminError(400, messages::NotATime(of("since")), answer);
    since = *time;
  }
  const absl::StatusOr<HeatReport> report = database_->ReportHeat(of("table"), of("index"), since);
  if (!report.ok()) return AnswerTableError(report.status(), answer);
  AppendHeat(*report, &answer->body);
}

void HeatAdmin::Watch(std::string_view body, JsonResponse* answer) {
  const auto member = ReadSingleMember(body, "table");
  const auto* const table = std::get_if<std::string>(&member);
  if (table == nullptr) {
    const auto* const error = std::get_if<SingleMemberError>(&member);
    const bool is_no_object = error != nullptr && *error == SingleMemberError::kNotAnObject;
    return AnswerAdminError(400,
                            is_no_object ? messages::AdminNotAnObject(kHeatExample)
                                         : messages::AdminMemberWanted("table", kHeatExample),
                            answer);
  }
  absl::MutexLock lock(&mutex_);
  const absl::Status status = database_->WatchHeat(*table, true);
  if (!status.ok()) return AnswerTableError(status, answer);
  ends_[*table] = now_() + kLease;
  if (ends_.size() > kTablesMax) {
    End(std::min_element(ends_.begin(), ends_.end(), [](const auto& left, const auto& right) {
      return left.second < right.second;
    }));
  }
  JsonWriter writer(&answer->body);
  writer.BeginObject();
  writer.Key("table");
  writer.String(*table);
  writer.Key("seconds");
  writer.Integer(kLease.count());
  writer.EndObject();
}

void HeatAdmin::End(std::map<std::string, Time>::iterator lease) {
  // A table that is gone took its record along.
  database_->WatchHeat(lease->first, false).IgnoreError();
  ends_.erase(lease);
}

void HeatAdmin::EndIdle() {
  absl::MutexLock lock(&mutex_);
  const Time now = now_();
  for (auto lease = ends_.begin(); lease != ends_.end();) {
    const auto next = std::next(lease);
    if (lease->second <= now) End(lease);
    lease = next;
  }
}

}  // namespace dynolith
