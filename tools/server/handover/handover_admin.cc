#include "tools/server/handover/handover_admin.h"

#include <optional>

#include "absl/status/status.h"
#include "api/json/json_member.h"
#include "api/json/json_writer.h"
#include "api/json/single_member.h"
#include "api/service/admin_error.h"
#include "api/service/messages.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/json_string.h"
#include "engine/text/json_tree.h"
#include "tools/files/table/json_parts.h"
#include "tools/server/handover/messages.h"

namespace dynolith::handover {
namespace {

using designs::MemberText;

constexpr std::string_view kHandovers = "/_dynolith/handovers";
constexpr int kHandoverDepthMax = 2;
constexpr int kHandoverOk = 200;

// A handover as the body of a POST.
absl::StatusOr<HandedTable> ReadHandover(std::string_view body) {
  const std::optional<JsonTree> tree = ParseJson(body, kHandoverDepthMax);
  if (!tree || tree->kind != JsonTree::Kind::kMap) {
    return absl::InvalidArgumentError(messages::HandoverNoObject());
  }
  HandedTable handed;
  std::string state;
  const std::pair<std::string_view, std::string*> members[] = {
      {"table", &handed.table},        {"state", &state},
      {"to", &handed.to.url},          {"region", &handed.to.region},
      {"profile", &handed.to.profile}, {"certificates", &handed.to.certificates}};
  for (const auto& [name, value] : tree->members) {
    std::string* text = nullptr;
    for (const auto& [known, place] : members) {
      if (name == known) text = place;
    }
    if (text == nullptr) {
      return absl::InvalidArgumentError(messages::HandoverUnknownMember(name));
    }
    if (value.kind != JsonTree::Kind::kString || value.text.empty()) {
      return absl::InvalidArgumentError(messages::HandoverNoText(name));
    }
    *text = value.text;
  }
  if (handed.table.empty()) return absl::InvalidArgumentError(messages::HandoverNoText("table"));
  if (state == StateName(HandoverState::kForward)) {
    handed.state = HandoverState::kForward;
    if (!handed.to.url.empty()) return handed;
    return absl::InvalidArgumentError(messages::HandoverNoText("to"));
  }
  if (state != StateName(HandoverState::kRefuse)) {
    return absl::InvalidArgumentError(messages::HandoverUnknownState(state));
  }
  for (const auto& [name, text] : members) {
    if (name == "table" || name == "state" || text->empty()) continue;
    return absl::InvalidArgumentError(messages::HandoverOnlyForward(name));
  }
  return handed;
}

void AnswerHandoverError(const absl::Status& status, JsonResponse* answer) {
  const int code = absl::IsInvalidArgument(status)      ? 400
                   : absl::IsNotFound(status)           ? 404
                   : absl::IsFailedPrecondition(status) ? 409
                   : absl::IsUnavailable(status)        ? 503
                                                        : 500;
  AnswerAdminError(code, MessageOf(status), answer);
}

void AnswerDone(const absl::Status& status, JsonResponse* answer) {
  if (!status.ok()) return AnswerHandoverError(status, answer);
  answer->body = kNothing;
}

}  // namespace

bool HandoverAdmin::IsPath(std::string_view path) {
  return path.starts_with(kHandovers) &&
         (path.size() == kHandovers.size() || path[kHandovers.size()] == '/');
}

void HandoverAdmin::Answer(const AdminRequest& request, JsonResponse* answer) const {
  const bool is_all = request.path.size() == kHandovers.size();
  if (is_all && request.method == "POST") return Change(request.body, answer);
  const bool is_known = request.method == (is_all ? "GET" : "DELETE");
  if (!is_known) {
    return AnswerWrongMethod(request.path, is_all ? "GET, POST" : "DELETE", answer);
  }
  if (!request.body.empty() && !IsEmptyObject(request.body)) {
    return AnswerAdminError(400, messages::AdminEmptyBodyWanted(), answer);
  }
  if (is_all) return List(answer);
  AnswerDone(handovers_->End(name_, std::string(request.path.substr(kHandovers.size() + 1))),
             answer);
}

void HandoverAdmin::List(JsonResponse* answer) const {
  JsonWriter writer(&answer->body);
  writer.BeginObject();
  writer.Key("handovers");
  writer.BeginArray();
  for (const HandoverReport& report : handovers_->List()) {
    if (report.table.database != name_) continue;
    const auto text = [&](std::string_view name, std::string_view value) {
      if (!value.empty()) WriteText(&writer, name, value);
    };
    writer.BeginObject();
    text("table", report.table.table);
    text("state", StateName(report.table.state));
    text("to", report.table.to.url);
    text("region", report.table.to.region);
    text("profile", report.table.to.profile);
    text("certificates", report.table.to.certificates);
    WriteCount(&writer, "forwarded", report.forwarded);
    WriteCount(&writer, "failed", report.failed);
    WriteCount(&writer, "refused", report.refused);
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
}

void HandoverAdmin::Change(std::string_view body, JsonResponse* answer) const {
  const absl::StatusOr<HandedTable> handed = ReadHandover(body);
  if (!handed.ok()) {
    return AnswerAdminError(400, messages::HandoverBadBody(MessageOf(handed.status())), answer);
  }
  if (handed->state == HandoverState::kRefuse) return Refuse(handed->table, answer);
  AnswerDone(handovers_->Forward(name_, handed->table, handed->to), answer);
}

void HandoverAdmin::Refuse(const std::string& table, JsonResponse* answer) const {
  std::string ask = R"({"TableName":)";
  AppendJsonString(table, &ask);
  {
    const DatabaseInstance::Use use = database_->Begin();
    if (!use) return AnswerAdminError(500, messages::DatabaseNotOpen(), answer);
    const JsonResponse described = use.dispatcher().Handle("DescribeTable", ask + "}");
    if (described.http_status != kHandoverOk) {
      const std::optional<JsonTree> error = ParseJson(described.body, designs::kJsonDepthMax);
      const JsonTree* const text = error ? error->Find("message") : nullptr;
      return AnswerAdminError(
          404, text == nullptr ? std::string_view(described.body) : MemberText(text), answer);
    }
  }
  const absl::Status refused = handovers_->Refuse(name_, table);
  if (!refused.ok()) return AnswerHandoverError(refused, answer);
  // One that began before writes for a while.
  const std::string bulk = RunningBulkOperation(table);
  if (bulk.empty()) return AnswerDone(absl::OkStatus(), answer);
  const absl::Status ended = handovers_->End(name_, table);
  if (!ended.ok()) return AnswerHandoverError(ended, answer);
  AnswerAdminError(409, messages::HandoverBulkRuns(bulk), answer);
}

std::string HandoverAdmin::RunningBulkOperation(const std::string& table) const {
  const DatabaseInstance::Use use = database_->Begin();
  std::string body = "{}";
  while (use) {
    const JsonResponse page = use.dispatcher().Handle("ListBulkOperations", body);
    const std::optional<JsonTree> tree = ParseJson(page.body, designs::kJsonDepthMax);
    if (page.http_status != kHandoverOk || !tree) return "";
    for (const auto& [name, list] : tree->members) {
      for (const JsonTree& each : list.elements) {
        const std::string_view arn = MemberText(each.Find("BulkOperationArn"));
        const std::string_view status = MemberText(each.Find("BulkOperationStatus"));
        const bool runs = status == "IN_PROGRESS" || status == "CANCELLING";
        if (runs && arn.find(Concat(":table/", table, "/")) != std::string_view::npos) {
          return std::string(arn);
        }
      }
    }
    const JsonTree* const next = tree->Find("NextToken");
    if (MemberText(next).empty()) return "";
    body = R"({"NextToken":)";
    AppendJsonString(next->text, &body);
    body += '}';
  }
  return "";
}

}  // namespace dynolith::handover
