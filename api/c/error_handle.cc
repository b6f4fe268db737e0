#include "api/c/error_handle.h"

#include <string_view>

#include "engine/base/errors.h"

namespace dynolith::c {
namespace {

// In the order of absl::StatusCode.
constexpr std::string_view kCodeNames[] = {
    "OK",       "Cancelled",      "Unknown",          "InvalidArgument",   "DeadlineExceeded",
    "NotFound", "AlreadyExists",  "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
    "Aborted",  "OutOfRange",     "Unimplemented",    "Internal",          "Unavailable",
    "DataLoss", "Unauthenticated"};

std::string_view ErrorKindName(const absl::Status& status) {
  const ErrorKind kind = KindOf(status);
  if (kind != ErrorKind::kInternalServerError) return InfoOf(kind).exception_name;
  return kCodeNames[static_cast<size_t>(status.code())];
}

dynolith_error* const kOutOfMemory =
    new dynolith_error{.kind = "ResourceExhausted", .message = messages::NoMemory()};

}  // namespace

dynolith_error* ToCError(const absl::Status& status) {
  if (status.ok()) return nullptr;
  return new dynolith_error{.kind = std::string(ErrorKindName(status)),
                            .message = std::string(MessageOf(status))};
}

dynolith_error* OutOfMemory() { return kOutOfMemory; }

}  // namespace dynolith::c

const char* dynolith_error_kind(const dynolith_error* error) { return error->kind.c_str(); }

const char* dynolith_error_message(const dynolith_error* error) { return error->message.c_str(); }

void dynolith_error_free(dynolith_error* error) {
  if (error != dynolith::c::OutOfMemory()) delete error;
}
