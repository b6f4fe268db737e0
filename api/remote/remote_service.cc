#include "api/remote/remote_service.h"

#include <optional>
#include <random>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "api/remote/messages.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/json_tree.h"

namespace dynolith::client {
namespace {

constexpr int kHttpOk = 200;
// An item of 32 levels, each of which is two in JSON, and what is around it.
constexpr int kBodyDepthMax = 128;

// The member with the token; empty: the operation has none.
std::string_view TokenMember(std::string_view target) {
  const std::string_view operation = target.substr(target.find('.') + 1);
  if (operation == "TransactWriteItems" || operation == "ExecuteTransaction") {
    return "ClientRequestToken";
  }
  if (operation == "ImportTable" || operation == "ExportTableToPointInTime") return "ClientToken";
  return "";
}

// The body with a token; nullopt if it has one, needs none, or is for the service to refuse.
std::optional<std::string> WithToken(std::string_view target, std::string_view body) {
  const std::string_view member = TokenMember(target);
  if (member.empty()) return std::nullopt;
  const std::optional<JsonTree> tree = ParseJson(body, kBodyDepthMax);
  if (!tree || tree->kind != JsonTree::Kind::kMap || tree->Find(member) != nullptr) {
    return std::nullopt;
  }
  const size_t begin = body.find('{') + 1;
  return Concat(body.substr(0, begin), "\"", member, "\":\"", NewToken(),
                tree->members.empty() ? "\"" : "\",", body.substr(begin));
}

absl::Duration ServerDelay(const HttpAnswer& answer) {
  int64_t milliseconds = 0;
  if (!absl::SimpleAtoi(answer.retry_after, &milliseconds)) return absl::ZeroDuration();
  return absl::Milliseconds(milliseconds);
}

}  // namespace

std::string NewToken() {
  std::random_device device;
  std::string token;
  for (int i = 0; i < 4; ++i) {
    absl::StrAppend(&token, absl::Hex(device(), absl::kZeroPad8));
  }
  return token;
}

std::string ReadErrorName(std::string_view body) {
  const std::optional<JsonTree> tree = ParseJson(body, kBodyDepthMax);
  const JsonTree* const type = tree ? tree->Find("__type") : nullptr;
  return type == nullptr ? "" : type->text.substr(type->text.find('#') + 1);
}

absl::StatusOr<std::unique_ptr<RemoteService>> RemoteService::Open(const RemoteOptions& options) {
  const std::optional<http::ServerAddress> address =
      http::IsServerUrl(options.endpoint) ? http::ParseServerUrl(options.endpoint) : std::nullopt;
  if (!address) return absl::InvalidArgumentError(messages::ClientNotAServer(options.endpoint));
  DYNOLITH_ASSIGN_OR_RETURN(std::shared_ptr<CallerIdentity> identity,
                            CallerIdentity::Find(*address, options.identity));
  std::unique_ptr<TlsTrust> trust;
  if (address->is_tls) {
    DYNOLITH_ASSIGN_OR_RETURN(trust, TlsTrust::Load(options.certificates_file));
  }
  return std::unique_ptr<RemoteService>(
      new RemoteService(*address, std::move(identity), std::move(trust), options));
}

RemoteService::RemoteService(const http::ServerAddress& address,
                             std::shared_ptr<CallerIdentity> identity,
                             std::unique_ptr<TlsTrust> trust, const RemoteOptions& options)
    : endpoint_(options.endpoint),
      may_repeat_(options.may_repeat),
      identity_(std::move(identity)),
      trust_(std::move(trust)),
      retries_(options.retries),
      tables_(address, trust_.get(), options.pool, identity_->region()),
      streams_(MakeStreamsDoor(address, options)) {}

std::unique_ptr<RemoteService::Door> RemoteService::MakeStreamsDoor(
    const http::ServerAddress& tables, const RemoteOptions& options) const {
  const std::optional<http::ServerAddress> address = http::StreamsAddress(tables);
  if (!address) return nullptr;
  return std::make_unique<Door>(*address, trust_.get(), options.pool, identity_->region());
}

absl::StatusOr<HttpAnswer> RemoteService::Call(std::string_view target, std::string_view body,
                                               const HttpHeaders& unsigned_headers) {
  const bool is_elsewhere = streams_ != nullptr && http::IsStreamsTarget(target);
  Door* const door = is_elsewhere ? streams_.get() : &tables_;
  const std::optional<std::string> with_token = WithToken(target, body);
  if (with_token) body = *with_token;
  Retries::Call retry(&retries_);
  for (;;) {
    absl::StatusOr<HttpAnswer> answer = Attempt(door, target, body, unsigned_headers);
    if (answer.ok() && answer->status == kHttpOk) {
      retry.Succeed();
      return answer;
    }
    const bool may_follow =
        answer.ok() ? retry.WaitForNext(KindOfFailure(answer->status, ReadErrorName(answer->body)),
                                        ServerDelay(*answer))
                    : answer.status().code() == absl::StatusCode::kUnavailable &&
                          retry.WaitForNext(FailureKind::kTransient);
    if (!may_follow) return answer;
  }
}

absl::StatusOr<HttpAnswer> RemoteService::Attempt(Door* door, std::string_view target,
                                                  std::string_view body,
                                                  const HttpHeaders& unsigned_headers) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<const Credentials> credentials, identity_->Get());
  HttpHeaders headers = door->signer.Headers(*credentials, target, body, absl::Now());
  headers.insert(headers.end(), unsigned_headers.begin(), unsigned_headers.end());
  absl::StatusOr<HttpAnswer> answer =
      door->pool.Send({.headers = headers, .body = body, .may_repeat = may_repeat_});
  if (answer.ok()) return answer;
  return absl::UnavailableError(messages::ClientUnreached(endpoint_, MessageOf(answer.status())));
}

}  // namespace dynolith::client
