#include "tools/client/admin_call.h"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "api/json/single_member.h"
#include "api/remote/messages.h"
#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "tools/client/messages.h"

namespace dynolith::client {
namespace {

std::string_view MethodName(AdminMethod method) {
  if (method == AdminMethod::kGet) return "GET";
  return method == AdminMethod::kPost ? "POST" : "DELETE";
}

absl::StatusCode CodeOf(int http_status) {
  constexpr int kConflict = 409;
  constexpr int kUnavailable = 503;
  if (http_status == kConflict) return absl::StatusCode::kAborted;
  return http_status == kUnavailable ? absl::StatusCode::kUnavailable
                                     : absl::StatusCode::kFailedPrecondition;
}

}  // namespace

absl::StatusOr<std::string> CallAdmin(const AdminServer& server, AdminMethod method,
                                      const std::string& path, const std::string& body) {
  const std::optional<http::ServerAddress> address = http::ParseServerUrl(server.url);
  if (!address) return absl::InvalidArgumentError(messages::ClientNotAServer(server.url));
  HttpHeaders headers = {{"Host", address->authority}};
  if (!server.token.empty()) {
    headers.emplace_back("Authorization", Concat("Bearer ", server.token));
  }
  const std::unique_ptr<TlsTrust> trust = address->is_tls ? TlsTrust::InAnybody() : nullptr;
  absl::StatusOr<HttpAnswer> answer =
      HttpConnection::Make(*address, trust.get(), server.timeouts)
          ->Send({.method = MethodName(method), .target = path, .headers = headers, .body = body});
  if (!answer.ok()) {
    return absl::UnavailableError(
        messages::ClientUnreached(server.url, MessageOf(answer.status())));
  }
  constexpr int kOk = 200;
  if (answer->status == kOk) return std::move(answer->body);
  const auto reason = ReadSingleMember(answer->body, "error");
  const auto* text = std::get_if<std::string>(&reason);
  if (text == nullptr) {
    return absl::FailedPreconditionError(messages::ServerHasNoAdmin(server.url));
  }
  return absl::Status(CodeOf(answer->status), messages::ServerRefused(server.url, *text));
}

}  // namespace dynolith::client
