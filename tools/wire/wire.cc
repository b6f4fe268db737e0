#include "tools/wire/wire.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <functional>
#include <new>
#include <system_error>
#include <utility>

#include "api/answer/checksum.h"
#include "api/answer/request_id.h"
#include "engine/base/errors.h"
#include "engine/base/json_string.h"
#include "engine/base/limits.h"
#include "engine/base/messages/wire.h"
#include "engine/base/utf8.h"
#include "tools/http/compression.h"
#include "tools/wire/host_names.h"

namespace dynolith::http {
namespace {

constexpr std::string_view kAmazonJson = "application/x-amz-json-1.0";
constexpr std::string_view kPlainJson = "application/json";
constexpr std::string_view kPreflightSeconds = "172800";
// What a script in a browser may read of an answer to a preflight, and to a call, besides its body.
constexpr std::string_view kExposedOfPreflight =
    "x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date";
constexpr std::string_view kExposedHeaders =
    "x-amzn-RequestId,x-amz-crc32,x-amzn-ErrorType,x-amzn-ErrorMessage,Date";
// A larger answer is compressed if the client allows it.
constexpr size_t kUncompressedBytesMax = 4096;
constexpr size_t kUsualHeaderBytes = 256;

// The content type without parameters; empty if there is none.
std::string_view BaseType(const Request& request) {
  const std::string_view type = request.Find("content-type").value_or("");
  return Trim(type.substr(0, type.find(';')));
}

// Error answers before an operation (api/facts/wire.md §7). What fails inside one is the backend's.
void AnswerError(ErrorKind kind, std::string_view message, Response* response,
                 std::optional<ErrorKind>* error) {
  *error = kind;
  const ErrorInfo& info = InfoOf(kind);
  response->status = info.http_status;
  std::string& body = response->body;
  body.assign("{\"__type\":\"");
  body.append(info.type_prefix).append("#").append(info.exception_name).append("\"");
  if (!message.empty()) {
    body.append(",\"").append(info.message_member).append("\":");
    // It may say what a header had, which may be anything.
    AppendJsonString(ReplaceNonUtf8(message), &body, /*by_letter=*/"\n");
  }
  body.push_back('}');
}

bool AsksForHealth(std::string_view path) { return path == "/" || path.starts_with("/health"); }

void AnswerPreflight(const Request& request, Response* response) {
  // Which are ASCII wherever they mean anything.
  const auto allow = [&](std::string_view asked, std::string_view allowed) {
    const auto value = request.Find(asked);
    const bool is_plain = value && std::all_of(value->begin(), value->end(), [](char c) {
                            return static_cast<unsigned char>(c) < 0x80;
                          });
    if (is_plain) response->AddHeader(allowed, *value);
  };
  allow("access-control-request-headers", "Access-Control-Allow-Headers");
  allow("access-control-request-method", "Access-Control-Allow-Methods");
  response->AddHeader("Access-Control-Max-Age", kPreflightSeconds);
  response->AddHeader("Access-Control-Expose-Headers", kExposedOfPreflight);
}

// Whether the body is, or has been made, readable. `body` then borrows from request or `storage`.
bool DecodeBody(const Request& request, std::string_view* body, std::string* storage) {
  *body = request.body;
  const auto name = request.Find("content-encoding");
  if (!name) return true;
  const auto coding = ParseCoding(*name);
  if (!coding) return body->empty();
  if (*coding == Coding::kIdentity) return true;
  if (!Decompress(*coding, request.body, kRequestBytesMax, storage)) return false;
  *body = *storage;
  return true;
}

// Nothing is said of it if it is 0.
void AddRetryAfter(absl::Duration wait, Response* response) {
  if (wait <= absl::ZeroDuration()) return;
  response->AddHeader("x-amz-retry-after", std::to_string(absl::ToInt64Milliseconds(wait)));
}

void CompressIfAllowed(const Request& request, Response* response) {
  if (response->body.size() <= kUncompressedBytesMax) return;
  const auto accepted = request.Find("accept-encoding");
  if (!accepted) return;
  const Coding coding = ChooseCoding(*accepted);
  if (coding == Coding::kIdentity) return;
  std::string compressed;
  Compress(coding, response->body, &compressed);
  response->body = std::move(compressed);
  response->AddHeader("Content-Encoding", NameOf(coding));
}

// "search-dynamodb.eu-west-1.amazonaws.com", "123456789012.search-ddb.…", and such names of this
// machine.
bool IsSearchHost(std::string_view host) {
  std::string_view name = WithoutPort(host);
  const std::string_view first = name.substr(0, name.find('.'));
  name.remove_prefix(std::min(first.size() + 1, name.size()));
  return EqualsIgnoreCase(first, "search-dynamodb") ||
         EqualsIgnoreCase(name.substr(0, name.find('.')), "search-ddb");
}

uint64_t HashOf(std::string_view text) { return std::hash<std::string_view>()(text); }

// The name of the database that it is for; empty: the first.
std::string DatabaseOf(const Request& request, const DatabaseChoice& choice) {
  if (choice.by_header) {
    if (const auto name = request.Find(kDatabaseHeader)) return std::string(*name);
  }
  std::string name;
  if (choice.by_access_key) name = AccessKeyOf(request);
  if (choice.by_region) {
    if (!name.empty()) name += '_';
    name += RegionOf(request);
  }
  return name;
}

}  // namespace

Wire::Wire(ApiBackend* backend, WireOptions options)
    : backend_(backend),
      options_(std::move(options)),
      authenticator_(options_.auth),
      guard_(options_.pages),
      memory_(options_.memory_limit_bytes) {}

Lane Wire::LaneOf(const Request& request) const {
  if (request.method != Method::kPost) return Lane::kLoop;
  // Neither a loop nor those who compute for others wait for one database.
  if (!backend_->IsReady(DatabaseOf(request, options_.databases))) return Lane::kWaiting;
  const ApiBackend::Effort effort = backend_->EffortOf(request.Find("x-amz-target").value_or(""));
  if (effort.cost == ApiBackend::Cost::kLong) return Lane::kLong;
  // A small body may unfold to a large one. What is large runs where few do, so that their memory
  // is bounded, also where writes wait for the disk.
  const bool is_large =
      request.body.size() > kLoopBodyBytesMax || request.Find("content-encoding").has_value();
  if (effort.writes && options_.writes_wait && !is_large) return Lane::kWaiting;
  return is_large || effort.cost == ApiBackend::Cost::kBatch ? Lane::kBrief : Lane::kLoop;
}

Turn Wire::TurnOf(const Request& request) const {
  const std::string_view address(reinterpret_cast<const char*>(request.peer.data()),
                                 request.peer.size());
  return {.caller = HashOf(AccessKeyOf(request)) ^ HashOf(address),
          .kind = HashOf(request.Find("x-amz-target").value_or(""))};
}

bool Wire::HandleOnLoop(const Request& request, Response* response) {
  return Respond(request, /*on_loop=*/true, response);
}

void Wire::Handle(const Request& request, Response* response) {
  Respond(request, /*on_loop=*/false, response);
}

bool Wire::Respond(const Request& request, bool on_loop, Response* response) {
  const auto start =
      options_.record ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
  std::array<char, kRequestIdBytes> id_bytes;
  DrawRequestId(id_bytes.data());
  const std::string_view id(id_bytes.data(), id_bytes.size());
  response->header_lines.reserve(kUsualHeaderBytes);
  response->AddHeader("x-amzn-RequestId", id);
  std::optional<ErrorKind> error;
  if (!AnswerSafely(request, id, on_loop, response, &error)) {
    response->Clear();
    return false;
  }
  response->AddHeader("x-amz-crc32", std::to_string(Crc32(response->body)));
  if (!options_.record) return true;
  options_.record({.method = request.method_text,
                   .path = request.path(),
                   .target = request.Find("x-amz-target").value_or(""),
                   .request_id = id,
                   .status = response->status,
                   .error = error,
                   .is_dropped = response->is_dropped,
                   .request_bytes = request.body.size(),
                   .response_bytes = response->body.size(),
                   .duration = absl::FromChrono(std::chrono::steady_clock::now() - start)});
  return true;
}

bool Wire::AnswerSafely(const Request& request, std::string_view id, bool on_loop,
                        Response* response, std::optional<ErrorKind>* error) {
  const auto fail = [&](ErrorKind kind, std::string_view cause) {
    response->Clear();
    response->AddHeader("x-amzn-RequestId", id);
    response->AddHeader("Content-Type", kAmazonJson);
    AnswerFailure(kind, cause, request, id, response, error);
    return true;
  };
  try {
    return Answer(request, id, on_loop, response, error);
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::kServiceUnavailable, messages::NoMemoryForRequest());
  } catch (const std::system_error& thrown) {
    return fail(ErrorKind::kServiceUnavailable, thrown.what());
  } catch (const std::exception& thrown) {
    return fail(ErrorKind::kInternalServerError, thrown.what());
  }
}

void Wire::AnswerFailure(ErrorKind kind, std::string_view cause, const Request& request,
                         std::string_view id, Response* response,
                         std::optional<ErrorKind>* error) const {
  AnswerError(kind, "", response, error);
  Fail(request, id, {.http_status = response->status, .cause = std::string(cause)});
}

bool Wire::Answer(const Request& request, std::string_view id, bool on_loop, Response* response,
                  std::optional<ErrorKind>* error) {
  if (const auto objection = guard_.Objection(request)) {
    // Without a header that lets the page read it: only its owner sees this, in the browser's log.
    AnswerError(ErrorKind::kAccessDenied, *objection, response, error);
    response->status = 403;
    response->AddHeader("Content-Type", kAmazonJson);
    if (options_.refuse) options_.refuse(*objection);
    return true;
  }
  if (request.Find("origin")) {
    response->AddHeader("Access-Control-Allow-Origin", "*");
    if (request.method == Method::kOptions) {
      AnswerPreflight(request, response);
      return true;
    }
    response->AddHeader("Access-Control-Expose-Headers", kExposedHeaders);
  }
  if (request.method == Method::kGet && AsksForHealth(request.path())) {
    response->body = messages::Healthy(options_.region);
    return true;
  }
  const std::string_view type = BaseType(request);
  const bool is_json = type == kAmazonJson || type == kPlainJson;
  if (request.method != Method::kPost || (!request.body.empty() && !is_json)) {
    response->status = 404;
    response->body = messages::NotACall();
    return true;
  }
  response->AddHeader("Content-Type", type == kAmazonJson ? kAmazonJson : kPlainJson);
  return AnswerCall(request, id, on_loop, response, error);
}

bool Wire::AnswerCall(const Request& request, std::string_view id, bool on_loop, Response* response,
                      std::optional<ErrorKind>* error) {
  std::string storage;
  std::string host;
  ApiCall call{.target = request.Find("x-amz-target").value_or(""),
               .host = request.Find("host").value_or(""),
               .client = options_.tells_client ? AccessKeyOf(request) : std::string_view(),
               .on_loop = on_loop};
  // Some answers name it, and must be UTF-8.
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (!std::all_of(call.host.begin(), call.host.end(), is_ascii)) {
    call.host = host = ReplaceNonUtf8(call.host);
  }
  if (!DecodeBody(request, &call.body, &storage)) {
    AnswerFailure(ErrorKind::kInternalServerError,
                  messages::BodyNotDecoded(*request.Find("content-encoding")), request, id,
                  response, error);
    return true;
  }
  const RequestMemory::Reservation reserved = memory_.Reserve(call.body);
  if (!reserved.is_granted()) {
    AnswerFailure(ErrorKind::kServiceUnavailable, messages::NoMemoryForRequest(), request, id,
                  response, error);
    return true;
  }
  const std::string database = DatabaseOf(request, options_.databases);
  call.database = database;
  if (options_.databases.by_region) call.region = RegionOf(request);
  // The service authenticates late, and finds an empty body only after that.
  const auto admit = [&] {
    const absl::Status admission = authenticator_.Check(request);
    if (!admission.ok()) {
      AnswerError(KindOf(admission), MessageOf(admission), response, error);
    } else if (options_.search_endpoint && call.target.ends_with(".SearchVectors") &&
               !IsSearchHost(call.host)) {
      AnswerError(ErrorKind::kUnknownOperation, messages::NotAtThisEndpoint(), response, error);
    } else if (call.body.empty()) {
      AnswerError(ErrorKind::kSerialization, "", response, error);
    } else {
      return true;
    }
    return false;
  };
  ApiAnswer answer;
  answer.body = std::move(response->body);
  switch (backend_->Call(call, admit, &answer)) {
    case ApiBackend::Verdict::kBadJson:
      AnswerError(ErrorKind::kSerialization, "", response, error);
      break;
    case ApiBackend::Verdict::kUnknownTarget:
      AnswerError(ErrorKind::kUnknownOperation, "", response, error);
      break;
    case ApiBackend::Verdict::kNotAdmitted:
      break;
    case ApiBackend::Verdict::kAnswered:
      response->status = answer.http_status;
      *error = answer.error;
      response->body = std::move(answer.body);
      response->delay = answer.delay;
      response->is_dropped = answer.is_dropped;
      AddRetryAfter(answer.retry_after, response);
      if (answer.http_status >= 500) Fail(request, id, answer);
      CompressIfAllowed(request, response);
      break;
    case ApiBackend::Verdict::kTooLong:
      response->body = std::move(answer.body);
      return false;
  }
  return true;
}

void Wire::Fail(const Request& request, std::string_view id, const ApiAnswer& answer) const {
  if (!options_.fail) return;
  const std::string_view target = request.Find("x-amz-target").value_or("");
  const ErrorKind kind = answer.http_status == InfoOf(ErrorKind::kServiceUnavailable).http_status
                             ? ErrorKind::kServiceUnavailable
                             : ErrorKind::kInternalServerError;
  options_.fail({.status = answer.http_status,
                 .kind = InfoOf(kind).exception_name,
                 .operation = target.substr(target.find('.') + 1),
                 .tables = answer.tables,
                 .request_id = id,
                 .cause = answer.cause});
}

}  // namespace dynolith::http
