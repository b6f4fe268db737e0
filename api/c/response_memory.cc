#include "api/c/response_memory.h"

#include <memory>
#include <utility>

#include "absl/time/time.h"
#include "api/c/messages.h"
#include "api/service/checksum.h"
#include "engine/base/errors.h"

namespace dynolith::c {
namespace {

constexpr const char* kAmazonJson = "application/x-amz-json-1.0";
constexpr const char* kJson = "application/json";

// Made when the library is loaded, since there is no memory for it later. Never destroyed.
const JsonResponse* const kFailure = new JsonResponse(
    ErrorResponse(MakeError(ErrorKind::kInternalServerError, messages::NoMemory())));

// All but what the body is.
void FillAround(const JsonResponse& answer, ContentType type, dynolith_response* response) {
  response->status = answer.http_status;
  // Names are literals, so they end with a zero.
  response->error = answer.error ? InfoOf(*answer.error).exception_name.data() : nullptr;
  response->content_type = type == ContentType::kJson ? kJson : kAmazonJson;
  response->delay_nanoseconds = absl::ToInt64Nanoseconds(answer.delay);
  response->is_dropped = answer.is_dropped ? 1 : 0;
}

void BorrowBody(const std::string& body, dynolith_response* response) {
  response->body = body.data();
  response->body_size = body.size();
  response->crc32 = Crc32(body);
}

}  // namespace

ResponseMemory* ToResponseMemory(dynolith_response* response) {
  if (response->memory == nullptr) response->memory = new ResponseMemory;
  return static_cast<ResponseMemory*>(response->memory);
}

void Fill(JsonResponse answer, ContentType type, dynolith_response* response) {
  FillAround(answer, type, response);
  ResponseMemory* const memory = ToResponseMemory(response);
  memory->body = std::move(answer.body);
  BorrowBody(memory->body, response);
}

void FillWithFailure(dynolith_response* response) noexcept {
  FillAround(*kFailure, ContentType::kAmazonJson, response);
  BorrowBody(kFailure->body, response);
}

}  // namespace dynolith::c

void dynolith_response_free(dynolith_response* response) {
  if (response == nullptr) return;
  delete static_cast<dynolith::c::ResponseMemory*>(response->memory);
  *response = dynolith_response();
}
