#include "tools/mcp/http_endpoint.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <system_error>
#include <variant>

#include "absl/strings/escaping.h"
#include "api/remote/signature.h"
#include "engine/base/strings.h"
#include "tools/mcp/bounds.h"
#include "tools/mcp/json_values.h"
#include "tools/mcp/messages.h"
#include "tools/server/wire/host_names.h"

namespace dynolith::mcp {
namespace {

constexpr int kAccepted = 202;
constexpr int kNoContent = 204;
constexpr int kBadRequest = 400;
constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kMethodNotAllowed = 405;
constexpr int kNotAcceptable = 406;
constexpr int kTooLarge = 413;
constexpr int kUnsupportedMedia = 415;

constexpr std::string_view kSessionHeader = "mcp-session-id";
constexpr std::string_view kVersionHeader = "mcp-protocol-version";
constexpr std::string_view kMethodHeader = "mcp-method";
constexpr std::string_view kNameHeader = "mcp-name";

void Refuse(int status, const RpcError& error, const JsonTree& id, http::Response* response) {
  response->status = status;
  response->AddHeader("Content-Type", "application/json");
  response->body = ErrorText(id, error);
}

void Refuse(int status, ErrorCode code, std::string reason, http::Response* response) {
  Refuse(status, RpcError{code, std::move(reason), std::nullopt}, WordTree("null"), response);
}

std::optional<std::string_view> BearerToken(const http::Request& request) {
  constexpr std::string_view kScheme = "bearer ";
  const std::string_view header = request.Find("authorization").value_or("");
  if (!http::EqualsIgnoreCase(header.substr(0, kScheme.size()), kScheme)) return std::nullopt;
  return http::Trim(header.substr(kScheme.size()));
}

// Whether a list of media types names this one, or all.
bool NamesType(std::string_view list, std::string_view type) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    const std::string_view each = list.substr(0, comma);
    const std::string_view bare = http::Trim(each.substr(0, each.find(';')));
    if (bare == "*/*" || http::EqualsIgnoreCase(bare, type)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

// A header's value, of which Base64 between marks may hold any text; nullopt: it is none.
std::optional<std::string> HeaderText(std::string_view value) {
  constexpr std::string_view kBegin = "=?base64?";
  constexpr std::string_view kEnd = "?=";
  if (!value.starts_with(kBegin) || !value.ends_with(kEnd) ||
      value.size() < kBegin.size() + kEnd.size()) {
    return std::string(value);
  }
  value.remove_prefix(kBegin.size());
  value.remove_suffix(kEnd.size());
  std::string text;
  if (!absl::Base64Unescape(ToAbsl(value), &text)) return std::nullopt;
  return text;
}

// The header that does not agree with the message; empty: all do.
std::string_view DisagreeingHeader(const http::Request& request, const Message& message) {
  const std::string_view version = MemberText(message.Meta(kVersionInMeta));
  if (request.Find(kVersionHeader).value_or("") != version) return kVersionHeader;
  if (request.Find(kMethodHeader).value_or("") != message.method) return kMethodHeader;
  const bool is_call = message.method == "tools/call";
  if (!is_call && message.method != "resources/read") return "";
  const JsonTree* const named = message.params.Find(is_call ? "name" : "uri");
  if (named == nullptr) return "";
  return HeaderText(request.Find(kNameHeader).value_or("")) == named->text ? "" : kNameHeader;
}

int StatusOfError(ErrorCode code) {
  if (code == ErrorCode::kNoSuchMethod) return kNotFound;
  return code == ErrorCode::kInternal ? 200 : kBadRequest;
}

// 64 hexadecimal digits that nobody can guess.
std::string NewSessionId() {
  http::Digest bytes{};
  constexpr size_t kRandomBytes = 32;
  if (getentropy(bytes.data(), kRandomBytes) != 0) {
    throw std::system_error(errno, std::generic_category());
  }
  return http::Hex(bytes);
}

// What a page of an admitted origin needs of a browser.
void AdmitPage(const http::Request& request, http::Response* response) {
  const auto origin = request.Find("origin");
  if (!origin) return;
  response->AddHeader("Access-Control-Allow-Origin", *origin);
  response->AddHeader("Access-Control-Expose-Headers", "Mcp-Session-Id");
  response->AddHeader("Vary", "Origin");
  if (request.method != http::Method::kOptions) return;
  response->AddHeader("Access-Control-Allow-Methods", "POST, DELETE");
  response->AddHeader("Access-Control-Allow-Headers",
                      "Authorization, Content-Type, Accept, Mcp-Session-Id, MCP-Protocol-Version, "
                      "Mcp-Method, Mcp-Name");
}

}  // namespace

http::Lane HttpEndpoint::ChooseLane(const http::Request& request) const {
  const bool may_compute = request.method == http::Method::kPost &&
                           request.body.find("\"notifications/") == std::string_view::npos;
  return may_compute ? http::Lane::kLong : http::Lane::kLoop;
}

std::optional<HttpEndpoint::Refusal> HttpEndpoint::Objection(const http::Request& request) const {
  if (auto reason = pages_.Objection(request)) {
    return Refusal{kForbidden, ErrorCode::kInvalidRequest, *std::move(reason)};
  }
  if (request.method == http::Method::kOptions) return std::nullopt;
  if (!options_.token.empty()) {
    const auto token = BearerToken(request);
    if (!token)
      return Refusal{kUnauthorized, ErrorCode::kInvalidRequest, messages::McpWantsToken()};
    if (http::SecretsEqual(*token, options_.token)) return std::nullopt;
    return Refusal{kUnauthorized, ErrorCode::kInvalidRequest, messages::McpWrongToken()};
  }
  // Without a token a page whose name leads here could call.
  const std::string_view host = request.Find("host").value_or("localhost");
  if (http::IsLoopbackName(http::WithoutPort(host))) return std::nullopt;
  return Refusal{kForbidden, ErrorCode::kInvalidRequest, messages::McpWrongHost(host)};
}

void HttpEndpoint::Handle(const http::Request& request, http::Response* response) {
  if (const auto objection = Objection(request)) {
    if (objection->status == kUnauthorized) response->AddHeader("WWW-Authenticate", "Bearer");
    return Refuse(objection->status, objection->code, objection->reason, response);
  }
  AdmitPage(request, response);
  if (request.path() != "/mcp") {
    return Refuse(kNotFound, ErrorCode::kInvalidRequest, messages::McpNoSuchPath(request.path()),
                  response);
  }
  switch (request.method) {
    case http::Method::kPost:
      return Post(request, response);
    case http::Method::kDelete:
      return End(request, response);
    case http::Method::kOptions:
      response->status = kNoContent;
      return;
    default:
      response->AddHeader("Allow", "POST, DELETE");
      return Refuse(kMethodNotAllowed, ErrorCode::kInvalidRequest, messages::McpWantsPost(),
                    response);
  }
}

void HttpEndpoint::Post(const http::Request& request, http::Response* response) {
  const std::string_view type = request.Find("content-type").value_or("");
  if (!NamesType(type, "application/json")) {
    return Refuse(kUnsupportedMedia, ErrorCode::kInvalidRequest, messages::McpWantsJson(),
                  response);
  }
  const std::string_view accepted = request.Find("accept").value_or("");
  if (!NamesType(accepted, "application/json") || !NamesType(accepted, "text/event-stream")) {
    return Refuse(kNotAcceptable, ErrorCode::kInvalidRequest, messages::McpAcceptsJson(), response);
  }
  if (request.body.size() > kMessageBytesMax) {
    return Refuse(kTooLarge, ErrorCode::kInvalidRequest,
                  messages::McpMessageTooLarge(kMessageBytesMax), response);
  }
  const std::string_view version = request.Find(kVersionHeader).value_or("");
  if (!version.empty() && version != kStateless && !IsHandshakeVersion(version)) {
    return Refuse(kBadRequest, UnsupportedVersion(version), WordTree("null"), response);
  }
  const ReadMessages read = ParseMessages(request.body);
  const auto* const message = read.is_batch ? nullptr : std::get_if<Message>(&read.list.front());
  const bool is_alone =
      message != nullptr && (message->Meta(kVersionInMeta) != nullptr || version == kStateless);
  if (is_alone) return PostAlone(request, *message, response);
  PostInSession(request, response);
}

void HttpEndpoint::PostAlone(const http::Request& request, const Message& message,
                             http::Response* response) {
  if (message.kind != Message::Kind::kRequest) {
    response->status = kAccepted;
    return;
  }
  if (const std::string_view header = DisagreeingHeader(request, message); !header.empty()) {
    return Refuse(
        kBadRequest,
        RpcError{ErrorCode::kHeaderMismatch, messages::McpHeaderMismatch(header), std::nullopt},
        message.id, response);
  }
  // Ids of different callers may be the same, so each request has a session of its own.
  Session alone(parts_);
  const Session::Answer answer = alone.Run(alone.Take(request.body), nullptr);
  response->status = answer.error ? StatusOfError(*answer.error) : 200;
  response->AddHeader("Content-Type", "application/json");
  response->body = answer.text;
}

void HttpEndpoint::PostInSession(const http::Request& request, http::Response* response) {
  const auto id = request.Find(kSessionHeader);
  std::shared_ptr<Session> session = id ? FindSession(*id) : std::make_shared<Session>(parts_);
  if (session == nullptr) {
    return Refuse(kNotFound, ErrorCode::kInvalidRequest, messages::McpNoSuchSession(), response);
  }
  Session::Work work = session->Take(request.body);
  if (work.steps.empty()) {
    if (!id) {
      return Refuse(kBadRequest, ErrorCode::kInvalidRequest, messages::McpWantsSession(), response);
    }
    response->status = kAccepted;
    return;
  }
  const auto* const first = std::get_if<Message>(&work.steps.front().message);
  const bool begins = first != nullptr && first->method == "initialize";
  const bool is_bad = first == nullptr;
  if (!id && !begins && !is_bad) {
    return Refuse(kBadRequest,
                  RpcError{ErrorCode::kInvalidRequest, messages::McpWantsSession(), std::nullopt},
                  first->id, response);
  }
  const Session::Answer answer = session->Run(work, nullptr);
  if (answer.text.empty()) {
    response->status = kAccepted;  // it was cancelled
    return;
  }
  if (!id && answer.has_initialized) response->AddHeader("Mcp-Session-Id", Keep(session));
  if (is_bad) response->status = kBadRequest;
  response->AddHeader("Content-Type", "application/json");
  response->body = answer.text;
}

void HttpEndpoint::End(const http::Request& request, http::Response* response) {
  const auto id = request.Find(kSessionHeader);
  if (!id) {
    return Refuse(kBadRequest, ErrorCode::kInvalidRequest, messages::McpWantsSession(), response);
  }
  const std::shared_ptr<Session> session = FindSession(*id);
  if (session == nullptr) {
    return Refuse(kNotFound, ErrorCode::kInvalidRequest, messages::McpNoSuchSession(), response);
  }
  session->CancelAll();
  const absl::MutexLock lock(&mutex_);
  sessions_.remove_if([&](const NamedSession& each) { return each.session == session; });
  response->status = kNoContent;
}

std::shared_ptr<Session> HttpEndpoint::FindSession(std::string_view id) {
  const absl::MutexLock lock(&mutex_);
  const auto found = std::find_if(sessions_.begin(), sessions_.end(), [&](const auto& each) {
    return http::SecretsEqual(each.id, id);
  });
  if (found == sessions_.end()) return nullptr;
  sessions_.splice(sessions_.begin(), sessions_, found);
  return sessions_.front().session;
}

std::string HttpEndpoint::Keep(std::shared_ptr<Session> session) {
  std::string id = NewSessionId();
  const absl::MutexLock lock(&mutex_);
  sessions_.push_front({id, std::move(session)});
  if (sessions_.size() > kSessionsMax) {
    sessions_.back().session->CancelAll();
    sessions_.pop_back();
  }
  return id;
}

void HttpEndpoint::CancelAll() {
  const absl::MutexLock lock(&mutex_);
  for (const NamedSession& each : sessions_) each.session->CancelAll();
}

}  // namespace dynolith::mcp
