// The codes of failed statements of a batch: words of BatchStatementErrorCodeEnum.
#ifndef DYNOLITH_API_JSON_STATEMENT_ERROR_H_
#define DYNOLITH_API_JSON_STATEMENT_ERROR_H_

#include <optional>
#include <string_view>
#include <utility>

#include "engine/base/errors.h"

namespace dynolith {

inline constexpr std::pair<ErrorKind, std::string_view> kStatementErrorCodes[] = {
    {ErrorKind::kConditionalCheckFailed, "ConditionalCheckFailed"},
    {ErrorKind::kItemCollectionSizeLimitExceeded, "ItemCollectionSizeLimitExceeded"},
    {ErrorKind::kRequestLimitExceeded, "RequestLimitExceeded"},
    {ErrorKind::kValidation, "ValidationError"},
    {ErrorKind::kProvisionedThroughputExceeded, "ProvisionedThroughputExceeded"},
    {ErrorKind::kTransactionConflict, "TransactionConflict"},
    {ErrorKind::kThrottling, "ThrottlingError"},
    {ErrorKind::kResourceNotFound, "ResourceNotFound"},
    {ErrorKind::kAccessDenied, "AccessDenied"},
    {ErrorKind::kDuplicateItem, "DuplicateItem"},
    {ErrorKind::kInternalServerError, "InternalServerError"}};

// Any kind that has no code of its own is an internal error.
inline std::string_view StatementErrorCode(ErrorKind kind) {
  for (const auto& [of, code] : kStatementErrorCodes) {
    if (of == kind) return code;
  }
  return "InternalServerError";
}

inline std::optional<ErrorKind> FindStatementErrorKind(std::string_view code) {
  for (const auto& [kind, of] : kStatementErrorCodes) {
    if (of == code) return kind;
  }
  return std::nullopt;
}

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_STATEMENT_ERROR_H_
