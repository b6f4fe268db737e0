#include "engine/base/errors.h"

#include <array>

#include "absl/strings/cord.h"
#include "engine/base/messages.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

constexpr std::string_view kCoralService = "com.amazon.coral.service";
constexpr std::string_view kCoralValidate = "com.amazon.coral.validate";
constexpr std::string_view kCoralAvailability = "com.amazon.coral.availability";
constexpr std::string_view kDynamo = "com.amazonaws.dynamodb.v20120810";

constexpr absl::string_view kKindUrl = "dynolith/kind";

using absl::StatusCode;

// In the order of ErrorKind.
constexpr ErrorInfo kErrors[] = {
    {"ValidationException", kCoralValidate, 400, StatusCode::kInvalidArgument, "message"},
    {"SerializationException", kCoralService, 400, StatusCode::kInvalidArgument, "Message"},
    {"UnknownOperationException", kCoralService, 400, StatusCode::kUnimplemented, "message"},
    {"MissingAuthenticationTokenException", kCoralService, 400, StatusCode::kUnauthenticated,
     "message"},
    {"IncompleteSignatureException", kCoralService, 400, StatusCode::kUnauthenticated, "message"},
    {"InvalidSignatureException", kCoralService, 400, StatusCode::kUnauthenticated, "message"},
    {"UnrecognizedClientException", kCoralService, 400, StatusCode::kUnauthenticated, "message"},
    {"AccessDeniedException", kCoralService, 400, StatusCode::kPermissionDenied, "Message"},
    {"ThrottlingException", kCoralAvailability, 400, StatusCode::kResourceExhausted, "message"},
    {"ProvisionedThroughputExceededException", kDynamo, 400, StatusCode::kResourceExhausted,
     "message"},
    {"RequestLimitExceeded", kDynamo, 400, StatusCode::kResourceExhausted, "message"},
    {"ConditionalCheckFailedException", kDynamo, 400, StatusCode::kFailedPrecondition, "message"},
    {"TransactionCanceledException", kDynamo, 400, StatusCode::kAborted, "Message"},
    {"TransactionConflictException", kDynamo, 400, StatusCode::kAborted, "message"},
    {"TransactionInProgressException", kDynamo, 400, StatusCode::kAborted, "Message"},
    {"ReplicatedWriteConflictException", kDynamo, 400, StatusCode::kAborted, "message"},
    {"IdempotentParameterMismatchException", kDynamo, 400, StatusCode::kInvalidArgument, "Message"},
    {"DuplicateItemException", kDynamo, 400, StatusCode::kAlreadyExists, "message"},
    {"ItemCollectionSizeLimitExceededException", kDynamo, 400, StatusCode::kResourceExhausted,
     "message"},
    {"ResourceNotFoundException", kDynamo, 400, StatusCode::kNotFound, "message"},
    {"ResourceInUseException", kDynamo, 400, StatusCode::kAlreadyExists, "message"},
    {"LimitExceededException", kDynamo, 400, StatusCode::kResourceExhausted, "message"},
    {"TableNotFoundException", kDynamo, 400, StatusCode::kNotFound, "message"},
    {"TableInUseException", kDynamo, 400, StatusCode::kFailedPrecondition, "message"},
    {"TableAlreadyExistsException", kDynamo, 400, StatusCode::kAlreadyExists, "message"},
    {"BackupNotFoundException", kDynamo, 400, StatusCode::kNotFound, "message"},
    {"BackupInUseException", kDynamo, 400, StatusCode::kFailedPrecondition, "message"},
    {"ContinuousBackupsUnavailableException", kDynamo, 400, StatusCode::kUnavailable, "message"},
    {"PointInTimeRecoveryUnavailableException", kDynamo, 400, StatusCode::kUnavailable, "message"},
    {"InvalidRestoreTimeException", kDynamo, 400, StatusCode::kInvalidArgument, "message"},
    {"InvalidExportTimeException", kDynamo, 400, StatusCode::kInvalidArgument, "message"},
    {"ExportConflictException", kDynamo, 400, StatusCode::kAlreadyExists, "message"},
    {"ExportNotFoundException", kDynamo, 400, StatusCode::kNotFound, "message"},
    {"ImportNotFoundException", kDynamo, 400, StatusCode::kNotFound, "message"},
    {"ImportConflictException", kDynamo, 400, StatusCode::kAlreadyExists, "message"},
    {"GlobalTableNotFoundException", kDynamo, 400, StatusCode::kNotFound, "message"},
    {"PolicyNotFoundException", kDynamo, 400, StatusCode::kNotFound, "message"},
    {"ExpiredIteratorException", kDynamo, 400, StatusCode::kOutOfRange, "message"},
    {"TrimmedDataAccessException", kDynamo, 400, StatusCode::kOutOfRange, "message"},
    {"ServiceUnavailable", kCoralService, 503, StatusCode::kUnavailable, "message"},
    {"InternalServerError", kDynamo, 500, StatusCode::kInternal, "message"},
};
static_assert(std::size(kErrors) == static_cast<size_t>(ErrorKind::kInternalServerError) + 1);

using Names = std::array<absl::Cord, std::size(kErrors)>;

// The names are payloads, so that a status shares them instead of copying.
const Names& NamePayloads() {
  static const Names* const names = [] {
    auto* const made = new Names;
    for (size_t i = 0; i < made->size(); ++i) {
      (*made)[i] = absl::Cord(ToAbsl(kErrors[i].exception_name));
    }
    return made;
  }();
  return *names;
}

}  // namespace

const ErrorInfo& InfoOf(ErrorKind kind) { return kErrors[static_cast<size_t>(kind)]; }

absl::Status MakeError(ErrorKind kind, std::string_view message) {
  absl::Status status(InfoOf(kind).code, ToAbsl(message));
  status.SetPayload(kKindUrl, NamePayloads()[static_cast<size_t>(kind)]);
  return status;
}

bool IsThrottled(const absl::Status& status) {
  if (status.ok()) return false;
  const ErrorKind kind = KindOf(status);
  return kind == ErrorKind::kThrottling || kind == ErrorKind::kProvisionedThroughputExceeded ||
         kind == ErrorKind::kRequestLimitExceeded;
}

ErrorKind KindOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kKindUrl);
  if (!payload) return ErrorKind::kInternalServerError;
  for (size_t i = 0; i < std::size(kErrors); ++i) {
    if (*payload == ToAbsl(kErrors[i].exception_name)) return static_cast<ErrorKind>(i);
  }
  return ErrorKind::kInternalServerError;
}

std::string_view MessageOf(const absl::Status& status) { return ToStd(status.message()); }

absl::Status Enveloped(const absl::Status& status) {
  if (status.ok() || KindOf(status) != ErrorKind::kValidation) return status;
  if (status.GetPayload("dynolith/enveloped")) return status;
  absl::Status enveloped = ValidationError(messages::OneValidationError(MessageOf(status)));
  enveloped.SetPayload("dynolith/enveloped", absl::Cord("1"));
  return enveloped;
}

}  // namespace dynolith
