// Amazon resource names of tables, their indexes, streams and backups (api/facts/operations.md
// §5.1, §5.6, §6).
#ifndef DYNOLITH_API_REQUEST_ARN_H_
#define DYNOLITH_API_REQUEST_ARN_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/request/operation_context.h"

namespace dynolith {

// arn:partition:service:region:account:resource. Missing parts are empty; the resource keeps its
// colons. Borrows from the ARN.
struct ArnParts {
  std::string_view partition;
  std::string_view service;
  std::string_view region;
  std::string_view account;
  std::string_view resource;
};
ArnParts SplitArn(std::string_view arn);

// The beginning of the resource of a table, and of everything that belongs to one.
inline constexpr std::string_view kTableResource = "table/";

// "arn:aws:dynamodb:us-east-1:000000000000:table/music".
std::string TableArn(const OperationContext& context, std::string_view table_name);

// "<table ARN>/index/by-year".
std::string IndexArn(std::string_view table_arn, std::string_view index_name);

// "<table ARN>/stream/2015-05-11T21:21:33.291".
std::string StreamArn(std::string_view table_arn, std::string_view label);

// "<table ARN>/backup/01489602797149-73d8d5bc".
std::string BackupArn(std::string_view table_arn, std::string_view id);

// The name of the table that a TableName member means: itself, or the name in a table's ARN; a view
// of the argument. Errors: ValidationException for an ARN of another region or kind,
// ResourceNotFoundException for another account's.
absl::StatusOr<std::string_view> ResolveTableName(const OperationContext& context,
                                                  std::string_view name_or_arn);

}  // namespace dynolith

#endif  // DYNOLITH_API_REQUEST_ARN_H_
