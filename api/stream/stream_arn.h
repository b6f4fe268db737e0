// Parses a stream's ARN.
#ifndef DYNOLITH_API_STREAM_STREAM_ARN_H_
#define DYNOLITH_API_STREAM_STREAM_ARN_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "engine/stream/stream_rows.h"

namespace dynolith {

std::string MakeStreamArn(const OperationContext& context, const StreamName& name);

// Errors: ValidationException if the text is no stream's ARN, ResourceNotFoundException if it is
// one of another region or account.
absl::StatusOr<StreamName> ParseStreamArn(const OperationContext& context, std::string_view arn);

// ResourceNotFoundException.
absl::Status StreamNotFound(std::string_view arn);

}  // namespace dynolith

#endif  // DYNOLITH_API_STREAM_STREAM_ARN_H_
