#include "tools/server/wire/wire.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <functional>
#include <new>
#include <system_error>
#include <utility>

#include "api/coding/compression.h"
#include "api/json/dispatch.h"
#include "api/json/operation_cost.h"
#include "api/service/checksum.h"
#include "api/service/messages.h"
#include "api/service/region.h"
#include "api/service/request_id.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/text/json_string.h"
#include "engine/text/utf8.h"
#include "tools/server/wire/host_names.h"
#include "tools/server/wire/messages.h"

namespace dynolith::http {
namespace {

constexpr std::string_view kAmazonJson = "application/x-amz-json-1.0";
constexpr std::string_view kPlainJson = "application/json";
constexpr std::string_view kPreflightSeconds = "172800";
// The headers that a script in a browser can read of an answer to a preflight, and to a call.
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

// Error answers before an operation (api/facts/wire.md §7); what fails inside one is an
// ErrorResponse.
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

void CompressIfAllowed(const Request& request, Response* response) {
  if (response->body.size() <= kUncompressedBytesMax) return;
  const auto accepted = request.Find("accept-encoding");
  if (!accepted) return;
  const Coding coding = ChooseCoding(*accepted);
  if (coding == Coding::kIdentity) return;
  std::string compressed;
  Compress(coding, response->body, &compressed);
  response->body = std::move(compressed);
  response->AddHeader("Content-Encoding", CodingName(coding));
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

// Whether it is that of one region.
bool IsRegionsPort(size_t door, const DatabaseChoice& choice) {
  return door > 0 && door <= choice.port_regions.size();
}

uint64_t HashName(std::string_view text) { return std::hash<std::string_view>()(text); }

}  // namespace

std::string ChooseDatabaseName(const Request& request, const DatabaseChoice& choice) {
  if (choice.by_header) {
    if (const auto name = request.Find(kDatabaseHeader)) return std::string(*name);
  }
  if (!choice.by_access_key && !choice.by_region && choice.regions.empty()) return {};
  if (IsRegionsPort(request.door, choice)) {
    const std::string& region = choice.port_regions[request.door - 1];
    return region == choice.regions.front() ? std::string() : region;
  }
  Signatory signatory = FindSignatory(request);
  if (!choice.regions.empty()) {
    return signatory.region == choice.regions.front() ? std::string() : std::move(signatory.region);
  }
  if (!choice.by_region) return std::move(signatory.access_key);
  if (!choice.by_access_key || signatory.access_key.empty()) return std::move(signatory.region);
  return Concat(signatory.access_key, "_", signatory.region);
}

absl::Status CheckRegion(size_t door, const Signatory& signatory, const DatabaseChoice& choice) {
  if (signatory.region.empty() || IsRegionsPort(door, choice)) return absl::OkStatus();
  // With an underscore in it, one key's region could be the end of another key.
  if (choice.by_region && !IsRegion(signatory.region)) {
    return MakeError(ErrorKind::kValidation, messages::NotRegion(signatory.region));
  }
  const std::vector<std::string>& regions = choice.regions;
  if (!regions.empty() &&
      std::find(regions.begin(), regions.end(), signatory.region) == regions.end()) {
    return MakeError(ErrorKind::kInvalidSignature, messages::ScopeRegion(signatory.region));
  }
  return absl::OkStatus();
}

void HandOn(JsonResponse answer, Response* response) {
  response->status = answer.http_status;
  response->body = std::move(answer.body);
  response->delay = answer.delay;
  response->is_dropped = answer.is_dropped;
  if (!answer.allowed_methods.empty()) response->AddHeader("Allow", answer.allowed_methods);
  if (answer.retry_after <= absl::ZeroDuration()) return;
  response->AddHeader("x-amz-retry-after",
                      std::to_string(absl::ToInt64Milliseconds(answer.retry_after)));
}

Wire::Wire(const DatabaseService* service, WireOptions options)
    : service_(service),
      options_(std::move(options)),
      authenticator_(options_.auth),
      guard_(options_.pages),
      memory_(options_.memory_limit_bytes) {}

Lane Wire::ChooseLane(const Request& request) const {
  if (request.method != Method::kPost) return Lane::kLoop;
  const std::string_view target = request.Find("x-amz-target").value_or("");
  if (options_.handovers != nullptr && options_.handovers->has_any() &&
      (request.Find("content-encoding") || options_.handovers->MayWait(target, request.body))) {
    return Lane::kWaiting;
  }
  // Neither loops nor computing workers wait for a database.
  if (!service_->IsReady(ChooseDatabaseName(request, options_.databases))) return Lane::kWaiting;
  const Dispatcher::CallTraits effort = Dispatcher::FindCallTraits(target);
  if (effort.cost == OperationCost::kLong) return Lane::kLong;
  // A small compressed body may become a large one. Large bodies run on the few brief workers,
  // which bounds their memory, even if writes wait for the disk.
  const bool is_large =
      request.body.size() > kLoopBodyBytesMax || request.Find("content-encoding").has_value();
  const bool waits = options_.calls_wait || (effort.writes && options_.writes_wait);
  if (is_large) return Lane::kBrief;
  if (waits) return Lane::kWaiting;
  return effort.cost == OperationCost::kBatch ? LaneAfterLoop(request) : Lane::kLoop;
}

Lane Wire::LaneAfterLoop(const Request& request) const {
  return service_->MayWaitForRegions(request.body) ? Lane::kWaiting : Lane::kBrief;
}

WorkOwner Wire::WorkOwnerFor(const Request& request) const {
  const std::string_view address(reinterpret_cast<const char*>(request.peer.data()),
                                 request.peer.size());
  return {.caller = HashName(FindSignatory(request).access_key) ^ HashName(address),
          .kind = HashName(request.Find("x-amz-target").value_or(""))};
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
  const std::string database = error ? ChooseDatabaseName(request, options_.databases) : "";
  options_.record({.method = request.method_text,
                   .path = request.path(),
                   .target = request.Find("x-amz-target").value_or(""),
                   .request_id = id,
                   .status = response->status,
                   .error = error,
                   .database = database,
                   .is_dropped = response->is_dropped,
                   .request_bytes = request.body.size(),
                   .response_bytes = response->body.size(),
                   .duration = absl::FromChrono(std::chrono::steady_clock::now() - start),
                   .request = &request});
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
  std::string_view body;
  if (!DecodeBody(request, &body, &storage)) {
    AnswerFailure(ErrorKind::kInternalServerError,
                  messages::BodyNotDecoded(*request.Find("content-encoding")), request, id,
                  response, error);
    return true;
  }
  const RequestMemory::Reservation reserved = memory_.Reserve(body);
  if (!reserved.is_granted()) {
    AnswerFailure(ErrorKind::kServiceUnavailable, messages::NoMemoryForRequest(), request, id,
                  response, error);
    return true;
  }
  const std::string_view host = request.Find("host").value_or("");
  // Some answers name it, and must be UTF-8.
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(host.begin(), host.end(), is_ascii)) {
    return RunCall(request, id, body, host, on_loop, response, error);
  }
  return RunCall(request, id, body, ReplaceNonUtf8(host), on_loop, response, error);
}

bool Wire::RunCall(const Request& request, std::string_view id, std::string_view body,
                   std::string_view host, bool on_loop, Response* response,
                   std::optional<ErrorKind>* error) {
  Dispatcher::Call call;
  absl::Status refused =
      Dispatcher::Prepare(request.Find("x-amz-target").value_or(""), body, &call);
  Signatory signatory;
  const bool tells_region = options_.databases.by_region || !options_.databases.regions.empty();
  if (options_.tells_client || tells_region) signatory = FindSignatory(request);
  if (refused.ok()) refused = Admit(request, signatory, body, host);
  if (!refused.ok()) {
    AnswerError(KindOf(refused), MessageOf(refused), response, error);
    return true;
  }
  const std::string database = ChooseDatabaseName(request, options_.databases);
  if (options_.guard != nullptr) {
    const std::optional<absl::Status> allowed = AskGuard(request, database, body, on_loop);
    if (!allowed) return false;
    if (!allowed->ok()) {
      AnswerError(KindOf(*allowed), MessageOf(*allowed), response, error);
      return true;
    }
  }
  const Caller caller = {
      .database = database,
      .region = options_.databases.by_region ? std::string_view(signatory.region) : "",
      .client = signatory.access_key,
      .host = host};
  std::optional<handover::RunningCalls::Call> running;
  if (options_.handovers != nullptr) running.emplace(options_.handovers->running());
  bool must_wait = false;
  std::optional<JsonResponse> answer =
      AnswerElsewhere(request, body, database, on_loop, &must_wait);
  if (must_wait) return false;
  const bool is_elsewhere = answer.has_value();
  if (!is_elsewhere)
    answer = on_loop ? service_->RunOnLoop(&call, caller, &response->body)
                     : service_->Run(&call, caller, std::move(response->body));
  if (!answer) return false;
  *error = answer->error;
  // Of what another endpoint has failed at, or writes that are refused on purpose, only what has a
  // cause is this server's own failure.
  const bool is_own_failure = !is_elsewhere || !answer->cause.empty();
  if (answer->http_status >= 500 && is_own_failure) Fail(request, id, *answer);
  HandOn(*std::move(answer), response);
  CompressIfAllowed(request, response);
  return true;
}

std::optional<JsonResponse> Wire::AnswerElsewhere(const Request& request, std::string_view body,
                                                  std::string_view database, bool on_loop,
                                                  bool* must_wait) {
  if (options_.handovers == nullptr || !options_.handovers->has_any()) return std::nullopt;
  return options_.handovers->Answer({.database = database,
                                     .target = request.Find("x-amz-target").value_or(""),
                                     .body = body,
                                     .via = request.Find("via").value_or("")},
                                    /*may_wait=*/!on_loop, must_wait);
}

std::optional<absl::Status> Wire::AskGuard(const Request& request, std::string_view database,
                                           std::string_view body, bool on_loop) const {
  const std::string_view target = request.Find("x-amz-target").value_or("");
  const Signatory signatory = FindSignatory(request);
  return options_.guard->Check({.request = &request,
                                .access_key = signatory.access_key,
                                .database = database,
                                .operation = target.substr(target.find('.') + 1),
                                .body = body},
                               /*may_wait=*/!on_loop);
}

// The service authenticates late, and finds an empty body only after that.
absl::Status Wire::Admit(const Request& request, const Signatory& signatory, std::string_view body,
                         std::string_view host) const {
  DYNOLITH_RETURN_IF_ERROR(authenticator_.Check(request));
  DYNOLITH_RETURN_IF_ERROR(CheckRegion(request.door, signatory, options_.databases));
  const std::string_view target = request.Find("x-amz-target").value_or("");
  if (options_.search_endpoint && target.ends_with(".SearchVectors") && !IsSearchHost(host)) {
    return MakeError(ErrorKind::kUnknownOperation, messages::NotAtThisEndpoint());
  }
  if (body.empty()) return MakeError(ErrorKind::kSerialization, "");
  return absl::OkStatus();
}

void Wire::Fail(const Request& request, std::string_view id, const JsonResponse& answer) const {
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
