// IamGuard::Explain: the decision about a call in JSON, made of the same parts as the decision.
#include <algorithm>
#include <array>
#include <string>

#include "absl/status/status.h"
#include "api/json/json_writer.h"
#include "api/service/admin_error.h"
#include "engine/base/clock.h"
#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "engine/text/json_tree.h"
#include "tools/files/table/json_parts.h"
#include "tools/server/iam/guard.h"
#include "tools/server/iam/messages.h"

namespace dynolith::iam {
namespace {

constexpr int kExplainDepthMax = 128;
constexpr std::string_view kExplainExample =
    R"({"access_key": "AKIDANN", "operation": "GetItem", "body": {"TableName": "music"}})";
constexpr std::array<std::string_view, 6> kExplainMembers = {"access_key", "operation", "body",
                                                             "database",   "source_ip", "secure"};

void WriteTexts(const RequestContext::Values& values, JsonWriter* writer) {
  writer->BeginArray();
  for (const std::string& value : values) writer->String(value);
  writer->EndArray();
}

std::string JoinedValues(const Condition& condition) {
  std::string text;
  for (const ConditionValue& value : condition.values) {
    text += Concat(text.empty() ? "" : ", ", value.text);
  }
  return text;
}

std::string WhyNot(const Statement& statement, const StatementMatch& match,
                   const AccessRequest& request) {
  if (match.mismatch != StatementPart::kCondition) {
    return messages::ElementMismatch(
        match.mismatch == StatementPart::kPrincipal ? "Principal"
        : match.mismatch == StatementPart::kAction  ? "Action"
                                                    : "Resource",
        match.mismatch == StatementPart::kPrincipal ? statement.excludes_principals
        : match.mismatch == StatementPart::kAction  ? statement.excludes_actions
                                                    : statement.excludes_resources);
  }
  const Condition& condition = statement.conditions[match.condition];
  const RequestContext::Values* const found = request.context.Find(condition.key);
  if (found == nullptr) {
    return messages::ConditionAbsent(condition.compare.name, condition.key,
                                     JoinedValues(condition));
  }
  std::string values;
  for (const std::string& value : *found) values += Concat(values.empty() ? "" : ", ", value);
  return messages::ConditionMismatch(condition.compare.name, condition.key, JoinedValues(condition),
                                     values);
}

void WriteStatement(PolicyKind kind, const NamedPolicy& policy, const Statement& statement,
                    const Caller& caller, const AskedNeed& asked, JsonWriter* writer) {
  const StatementMatch match = MatchStatement(
      statement, caller, !asked.policies.OfKind(PolicyKind::kBoundary).empty(), asked.request);
  writer->BeginObject();
  writer->Key("kind");
  writer->String(PolicyKindName(kind));
  writer->Key("policy");
  writer->String(policy.name);
  writer->Key("statement");
  writer->Integer(static_cast<int64_t>(statement.number));
  if (!statement.sid.empty()) {
    writer->Key("sid");
    writer->String(statement.sid);
  }
  writer->Key("line");
  writer->Integer(static_cast<int64_t>(statement.line));
  writer->Key("effect");
  writer->String(statement.allows ? "Allow" : "Deny");
  writer->Key("applies");
  writer->Bool(match.mismatch == StatementPart::kNone);
  if (match.mismatch != StatementPart::kNone) {
    writer->Key("why");
    writer->String(WhyNot(statement, match, asked.request));
  }
  writer->EndObject();
}

void WriteNeed(const Caller& caller, const AskedNeed& asked, std::string_view reason,
               JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("action");
  writer->String(asked.need.action);
  writer->Key("resource");
  writer->String(asked.need.resource);
  writer->Key("allowed");
  writer->Bool(asked.decision.is_allowed);
  if (!reason.empty()) {
    writer->Key("reason");
    writer->String(reason);
  }
  writer->Key("statements");
  writer->BeginArray();
  for (const PolicyKind kind : {PolicyKind::kIdentity, PolicyKind::kResource, PolicyKind::kBoundary,
                                PolicyKind::kSession}) {
    for (const NamedPolicy& policy : asked.policies.OfKind(kind)) {
      for (const Statement& statement : policy.policy->statements) {
        WriteStatement(kind, policy, statement, caller, asked, writer);
      }
    }
  }
  writer->EndArray();
  writer->Key("context");
  writer->BeginObject();
  for (const auto& [key, values] : asked.request.context.values()) {
    writer->Key(key);
    WriteTexts(values, writer);
  }
  writer->EndObject();
  writer->EndObject();
}

// The reason for which the body is no question; empty: it is one.
std::string FaultInQuestion(const JsonTree& asked) {
  for (const JsonTree::Member& member : asked.members) {
    if (std::find(kExplainMembers.begin(), kExplainMembers.end(), member.name) ==
        kExplainMembers.end()) {
      return messages::ExplainUnknown(member.name);
    }
  }
  for (const std::string_view name : {"access_key", "operation"}) {
    const JsonTree* const member = asked.Find(name);
    if (member == nullptr || member->kind != JsonTree::Kind::kString) {
      return messages::ExplainWants(name, kExplainExample);
    }
  }
  const JsonTree* const body = asked.Find("body");
  if (body != nullptr && body->kind == JsonTree::Kind::kMap) return "";
  return messages::ExplainWants("body", kExplainExample);
}

}  // namespace

void IamGuard::Explain(const AdminRequest& request, JsonResponse* answer) const {
  if (request.method != "POST") return AnswerWrongMethod(request.path, "POST", answer);
  const std::optional<JsonTree> asked = ParseJson(request.body, kExplainDepthMax);
  if (!asked || asked->kind != JsonTree::Kind::kMap) {
    return AnswerAdminError(400, messages::ExplainWants("access_key", kExplainExample), answer);
  }
  if (const std::string fault = FaultInQuestion(*asked); !fault.empty()) {
    return AnswerAdminError(400, fault, answer);
  }
  const std::string& access_key = asked->Find("access_key")->text;
  const Principal* const principal = options_.principals.Find(access_key);
  if (principal == nullptr) {
    return AnswerAdminError(404, messages::ExplainNobody(access_key), answer);
  }
  const std::string database(designs::MemberText(asked->Find("database")));
  const Connection connection = {
      .source_ip = std::string(designs::MemberText(asked->Find("source_ip"))),
      .user_agent = "",
      .referer = "",
      .is_secure = asked->Find("secure") == nullptr
                       ? options_.is_secure
                       : designs::MemberText(asked->Find("secure")) == "true"};
  const auto needs = Ask({.principal = principal,
                          .database = database,
                          .operation = asked->Find("operation")->text,
                          .body = asked->Find("body"),
                          .connection = &connection},
                         /*may_wait=*/true);
  if (!needs.ok()) return AnswerStateError(needs.status(), answer);
  JsonWriter writer(&answer->body);
  writer.BeginObject();
  writer.Key("principal");
  writer.String(principal->caller.arn);
  writer.Key("allowed");
  writer.Bool(std::all_of(needs->begin(), needs->end(),
                          [](const AskedNeed& each) { return each.decision.is_allowed; }));
  writer.Key("needs");
  writer.BeginArray();
  for (const AskedNeed& each : *needs) {
    WriteNeed(principal->caller, each, MessageOf(Refusal(*principal, each)), &writer);
  }
  writer.EndArray();
  writer.EndObject();
}

}  // namespace dynolith::iam
