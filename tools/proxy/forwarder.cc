#include "tools/proxy/forwarder.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "tools/proxy/call_texts.h"
#include "tools/server/http/event_loop.h"
#include "tools/server/wire/messages.h"

namespace dynolith::proxy {
namespace {

// The first header of that name among complete lines; empty: there is none.
std::string_view FindHeaderLine(std::string_view lines, std::string_view wanted) {
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find('\r'));
    const size_t colon = line.find(':');
    if (http::EqualsIgnoreCase(line.substr(0, colon), wanted)) {
      return http::Trim(line.substr(colon + 1));
    }
    lines.remove_prefix(std::min(line.size() + 2, lines.size()));
  }
  return {};
}

}  // namespace

Forwarder::Forwarder(ForwarderOptions options)
    : options_(std::move(options)),
      passage_{.target = options_.target,
               .mirror = options_.mirror,
               .measures = options_.measures,
               .shadow = options_.shadow,
               .read_target = options_.read_target,
               .fail = [this](const http::Request& request, const http::Response& response,
                              const std::string& why) { Fail(request, response, why); }},
      authenticator_(options_.wire.auth),
      guard_(options_.wire.pages) {}

http::WorkOwner Forwarder::WorkOwnerFor(const http::Request& request) const {
  // Workers here wait and do not compute, so that turns by operation mean nothing.
  const std::string_view address(reinterpret_cast<const char*>(request.peer.data()),
                                 request.peer.size());
  return {.caller = std::hash<std::string_view>()(address)};
}

bool Forwarder::IsOnlyPassedOn(const http::Request& request) const {
  // A loop that hashes more would keep others waiting.
  constexpr size_t kLoopBytesMax = 256 << 10;
  if (options_.measures || options_.shadow != nullptr) return false;
  if (request.body.size() > kLoopBytesMax) return false;
  if (request.method != http::Method::kPost) return true;
  if (!options_.target->HasCredentials() || ChangesTable(OperationOf(request))) return false;
  const std::optional<DatabaseInstance::Use> use = options_.mirror->TryBegin();
  return use && *use && !ContextOf(*use->database()).fault_rules->any();
}

std::unique_ptr<http::LoopCompanion> Forwarder::MakeCompanion(http::EventLoop* loop) {
  const size_t place = companions_++;
  const size_t further = place < options_.calls_max % options_.loops ? 1 : 0;
  const size_t calls_max = std::max<size_t>(options_.calls_max / options_.loops + further, 1);
  return std::make_unique<Upstream>(&loop->context(), options_.target, calls_max, this);
}

void Forwarder::Begin(http::EventLoop* loop, std::shared_ptr<http::PendingAnswer> pending) {
  const auto start = std::chrono::steady_clock::now();
  const http::Request& request = pending->request();
  http::Response* const response = pending->response();
  const bool is_sent = Safely(response, [&] {
    if (Refuse(request, response)) return false;
    static_cast<Upstream*>(loop->companion())->Send({.pending = pending, .start = start});
    return true;
  });
  if (is_sent) return;
  Record(request, *response, response->body.size(),
         absl::FromChrono(std::chrono::steady_clock::now() - start));
  pending->Finish();
}

void Forwarder::OnAnswered(const UpstreamCall& call, const absl::Status& answered) {
  const http::Request& request = call.pending->request();
  http::Response* const response = call.pending->response();
  const auto duration = [&call] {
    return absl::FromChrono(std::chrono::steady_clock::now() - call.start);
  };
  if (call.body_bytes > 0) {
    // The client has the beginning, and sees the connection end.
    response->is_dropped = !answered.ok();
    if (!answered.ok()) Fail(request, *response, std::string(MessageOf(answered)));
    return Record(request, *response, call.body_bytes, duration());
  }
  Safely(response, [&] {
    if (answered.ok()) return true;
    const std::string why(MessageOf(answered));
    AnswerError(MakeError(ErrorKind::kServiceUnavailable, why), response);
    Fail(request, *response, why);
    return true;
  });
  const absl::Cleanup finish = [&] { call.pending->Finish(); };
  Record(request, *response, response->body.size(), duration());
}

void Forwarder::Handle(const http::Request& request, http::Response* response) {
  const auto start = std::chrono::steady_clock::now();
  Safely(response, [&] {
    if (!Refuse(request, response)) Passage(passage_, request, response).Run();
    return true;
  });
  Record(request, *response, response->body.size(),
         absl::FromChrono(std::chrono::steady_clock::now() - start));
}

template <typename Answer>
bool Forwarder::Safely(http::Response* response, const Answer& answer) {
  try {
    return answer();
  } catch (const std::bad_alloc&) {
    AnswerError(MakeError(ErrorKind::kServiceUnavailable, messages::NoMemoryForRequest()),
                response);
  } catch (const std::exception& thrown) {
    AnswerError(MakeError(ErrorKind::kServiceUnavailable, thrown.what()), response);
  }
  return false;
}

void Forwarder::Fail(const http::Request& request, const http::Response& response,
                     const std::string& why) const {
  if (!options_.wire.fail) return;
  options_.wire.fail({.status = response.status,
                      .kind = InfoOf(ErrorKind::kServiceUnavailable).exception_name,
                      .operation = OperationOf(request),
                      .request_id = FindHeaderLine(response.header_lines, "x-amzn-RequestId"),
                      .cause = why});
}

bool Forwarder::Refuse(const http::Request& request, http::Response* response) {
  if (const auto objection = guard_.Objection(request)) {
    AnswerError(MakeError(ErrorKind::kAccessDenied, *objection), response);
    response->status = 403;
    if (options_.wire.refuse) options_.wire.refuse(*objection);
    return true;
  }
  if (request.method != http::Method::kPost) return false;
  const absl::Status admitted = authenticator_.Check(request);
  if (admitted.ok()) return false;
  AnswerError(admitted, response);
  return true;
}

void Forwarder::Record(const http::Request& request, const http::Response& response,
                       uint64_t response_bytes, absl::Duration duration) const {
  if (!options_.wire.record) return;
  std::optional<ErrorKind> error;
  if (response.status >= 400) error = ErrorKindIn(response.body);
  options_.wire.record({.method = request.method_text,
                        .path = request.path(),
                        .target = request.Find("x-amz-target").value_or(""),
                        .request_id = FindHeaderLine(response.header_lines, "x-amzn-RequestId"),
                        .status = response.status,
                        .error = error,
                        .is_dropped = response.is_dropped,
                        .request_bytes = request.body.size(),
                        .response_bytes = response_bytes,
                        .duration = duration});
}

}  // namespace dynolith::proxy
