#include "tools/proxy/forwarder.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "engine/base/errors.h"
#include "tools/proxy/call_texts.h"
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

void Forwarder::Handle(const http::Request& request, http::Response* response) {
  const auto start = std::chrono::steady_clock::now();
  AnswerSafely(request, response);
  Record(request, *response, absl::FromChrono(std::chrono::steady_clock::now() - start));
}

void Forwarder::AnswerSafely(const http::Request& request, http::Response* response) {
  try {
    if (!Refuse(request, response)) Passage(passage_, request, response).Run();
  } catch (const std::bad_alloc&) {
    AnswerError(MakeError(ErrorKind::kServiceUnavailable, messages::NoMemoryForRequest()),
                response);
  } catch (const std::exception& thrown) {
    AnswerError(MakeError(ErrorKind::kServiceUnavailable, thrown.what()), response);
  }
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
                       absl::Duration duration) const {
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
                        .response_bytes = response.body.size(),
                        .duration = duration});
}

}  // namespace dynolith::proxy
