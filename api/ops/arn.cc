#include "api/ops/arn.h"

#include <array>

#include "engine/base/errors.h"
#include "engine/base/messages/tables.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

constexpr std::string_view kPrefix = "arn:";
constexpr std::string_view kPartition = "aws";
constexpr std::string_view kService = "dynamodb";
constexpr std::string_view kTableResource = "table/";

// arn : partition : service : region : account : resource
enum Part { kArn, kPartitionPart, kServicePart, kRegionPart, kAccountPart, kResourcePart, kParts };

// Missing parts are empty; the last one keeps its colons.
std::array<std::string_view, kParts> Split(std::string_view arn) {
  std::array<std::string_view, kParts> parts;
  for (int i = 0; i < kResourcePart; ++i) {
    const size_t colon = arn.find(':');
    parts[i] = arn.substr(0, colon);
    arn.remove_prefix(colon == std::string_view::npos ? arn.size() : colon + 1);
  }
  parts[kResourcePart] = arn;
  return parts;
}

}  // namespace

std::string TableArn(const OperationContext& context, std::string_view table_name) {
  return Concat(kPrefix, kPartition, ":", kService, ":", context.region, ":", context.account_id,
                ":", kTableResource, table_name);
}

std::string IndexArn(std::string_view table_arn, std::string_view index_name) {
  return Concat(table_arn, "/index/", index_name);
}

std::string StreamArn(std::string_view table_arn, std::string_view label) {
  return Concat(table_arn, "/stream/", label);
}

absl::StatusOr<std::string> ResolveTableName(const OperationContext& context,
                                             std::string_view name_or_arn) {
  if (!name_or_arn.starts_with(kPrefix)) return std::string(name_or_arn);
  const auto parts = Split(name_or_arn);
  const std::string_view resource = parts[kResourcePart];
  if (parts[kPartitionPart] != kPartition) {
    return ValidationError(messages::InvalidArnPart("AWS partition", name_or_arn));
  }
  if (parts[kRegionPart] != context.region) {
    return ValidationError(messages::InvalidArnPart("AWS region", name_or_arn));
  }
  if (parts[kServicePart] != kService || !resource.starts_with(kTableResource) ||
      resource.find('/', kTableResource.size()) != std::string_view::npos) {
    return ValidationError(messages::InvalidArnPart("resource type", name_or_arn));
  }
  if (parts[kAccountPart] != context.account_id) {
    return MakeError(ErrorKind::kResourceNotFound, messages::ArnNotFound(name_or_arn));
  }
  return std::string(resource.substr(kTableResource.size()));
}

}  // namespace dynolith
