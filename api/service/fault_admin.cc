#include "api/service/fault_admin.h"

#include <charconv>
#include <cstdint>
#include <string>

#include "api/json/fault_rule_text.h"
#include "api/json/json_writer.h"
#include "api/json/single_member.h"
#include "api/service/admin_error.h"
#include "api/service/messages.h"
#include "engine/base/errors.h"

namespace dynolith {
namespace {

constexpr std::string_view kFaults = "/_dynolith/faults";

void AnswerNothing(JsonResponse* answer) { answer->body = "{}"; }

}  // namespace

bool FaultAdmin::IsPath(std::string_view path) {
  return path.starts_with(kFaults) &&
         (path.size() == kFaults.size() || path[kFaults.size()] == '/');
}

void FaultAdmin::Answer(const AdminRequest& request, JsonResponse* answer) const {
  const std::string_view path = request.path;
  const std::string_view method = request.method;
  const bool is_all = path.size() == kFaults.size();
  if (is_all && method == "POST") return Add(request.body, answer);
  const bool is_known = method == "DELETE" || (is_all && method == "GET");
  if (!is_known) {
    return AnswerWrongMethod(path, is_all ? "GET, POST, DELETE" : "DELETE", answer);
  }
  if (!request.body.empty() && !IsEmptyObject(request.body)) {
    return AnswerAdminError(400, messages::AdminEmptyBodyWanted(), answer);
  }
  if (method == "GET") return List(answer);
  if (!is_all) return Remove(path.substr(kFaults.size() + 1), answer);
  database_->RemoveFaults();
  AnswerNothing(answer);
}

void FaultAdmin::List(JsonResponse* answer) const {
  AppendFaultReports(database_->ListFaults(), &answer->body);
}

void FaultAdmin::Add(std::string_view body, JsonResponse* answer) const {
  const absl::StatusOr<FaultRule> rule = ReadFaultRule(body);
  if (!rule.ok()) return AnswerAdminError(400, MessageOf(rule.status()), answer);
  const absl::StatusOr<int64_t> id = database_->AddFault(*rule);
  if (absl::IsResourceExhausted(id.status())) {
    return AnswerAdminError(409, MessageOf(id.status()), answer);
  }
  if (!id.ok()) {
    const std::string why = messages::FaultWithExample(MessageOf(id.status()), kFaultExample);
    return AnswerAdminError(400, why, answer);
  }
  JsonWriter writer(&answer->body);
  writer.BeginObject();
  writer.Key("id");
  writer.Integer(*id);
  writer.EndObject();
}

void FaultAdmin::Remove(std::string_view id, JsonResponse* answer) const {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), number);
  const bool is_number = error == std::errc() && end == id.data() + id.size();
  if (!is_number || !database_->RemoveFault(number)) {
    return AnswerAdminError(404, messages::FaultNoSuchRule(id), answer);
  }
  AnswerNothing(answer);
}

}  // namespace dynolith
