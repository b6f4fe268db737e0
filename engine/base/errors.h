// The one list of errors that a user can see: kind -> exception name, envelope and HTTP status.
// Message texts are functions in the messages.h of each room. Source: api/facts/wire.md §7.
//
// The kind is a payload of the status, readable where it is printed:
//   FAILED_PRECONDITION: The conditional request failed
//       [dynolith/kind='ConditionalCheckFailedException']
// Other payloads of a status: engine/value/attachments.h.
#ifndef DYNOLITH_ENGINE_BASE_ERRORS_H_
#define DYNOLITH_ENGINE_BASE_ERRORS_H_

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"

namespace dynolith {

enum class ErrorKind : uint8_t {
  kValidation,
  kSerialization,
  kUnknownOperation,
  kMissingAuthenticationToken,
  kIncompleteSignature,
  kInvalidSignature,
  kUnrecognizedClient,
  kAccessDenied,
  kThrottling,
  kProvisionedThroughputExceeded,
  kRequestLimitExceeded,
  kConditionalCheckFailed,
  kTransactionCanceled,
  kTransactionConflict,
  kTransactionInProgress,
  kReplicatedWriteConflict,
  kIdempotentParameterMismatch,
  kDuplicateItem,
  kItemCollectionSizeLimitExceeded,
  kResourceNotFound,
  kResourceInUse,
  kLimitExceeded,
  kTableNotFound,
  kTableInUse,
  kTableAlreadyExists,
  kBackupNotFound,
  kBackupInUse,
  kContinuousBackupsUnavailable,
  kPointInTimeRecoveryUnavailable,
  kInvalidRestoreTime,
  kInvalidExportTime,
  kExportConflict,
  kExportNotFound,
  kImportNotFound,
  kImportConflict,
  kGlobalTableNotFound,
  kPolicyNotFound,
  kExpiredIterator,
  kTrimmedDataAccess,
  kServiceUnavailable,
  kInternalServerError,
};

struct ErrorInfo {
  std::string_view exception_name;  // "ValidationException"
  std::string_view type_prefix;     // "com.amazon.coral.validate"; `__type` is prefix # name
  int http_status;
  absl::StatusCode code;            // of the absl::Status that carries the kind
  std::string_view message_member;  // "message" or "Message"
};

const ErrorInfo& InfoOf(ErrorKind kind);

// A status of this kind. An empty message is allowed: some errors have none on the wire.
absl::Status MakeError(ErrorKind kind, std::string_view message);

// The kind of a status made by MakeError; any other failure (disk, damage, a bug) is
// kInternalServerError. Requires: !status.ok().
ErrorKind KindOf(const absl::Status& status);

// Whether it failed because some capacity was exceeded: a client that waits may be served.
bool IsThrottled(const absl::Status& status);

// The message as std::string_view, borrowed from `status`.
std::string_view MessageOf(const absl::Status& status);

inline absl::Status ValidationError(std::string_view message) {
  return MakeError(ErrorKind::kValidation, message);
}

// `status` with "1 validation error detected: " before its message if it is a validation error: the
// form in which PutItem, UpdateItem and DeleteItem report violations of the request itself
// (api/facts/wire.md §9).
absl::Status Enveloped(const absl::Status& status);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_ERRORS_H_
