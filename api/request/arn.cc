#include "api/request/arn.h"

#include "api/request/messages.h"
#include "engine/base/errors.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

constexpr std::string_view kPrefix = "arn:";
constexpr std::string_view kPartition = "aws";
constexpr std::string_view kService = "dynamodb";

}  // namespace

ArnParts SplitArn(std::string_view arn) {
  const auto take = [&arn] {
    const size_t colon = arn.find(':');
    const std::string_view part = arn.substr(0, colon);
    arn.remove_prefix(colon == std::string_view::npos ? arn.size() : colon + 1);
    return part;
  };
  take();  // "arn"
  ArnParts parts;
  for (std::string_view* part : {&parts.partition, &parts.service, &parts.region, &parts.account}) {
    *part = take();
  }
  parts.resource = arn;
  return parts;
}

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

std::string BackupArn(std::string_view table_arn, std::string_view id) {
  return Concat(table_arn, "/backup/", id);
}

absl::StatusOr<std::string_view> ResolveTableName(const OperationContext& context,
                                                  std::string_view name_or_arn) {
  if (!name_or_arn.starts_with(kPrefix)) return name_or_arn;
  const ArnParts parts = SplitArn(name_or_arn);
  const std::string_view resource = parts.resource;
  if (parts.partition != kPartition) {
    return ValidationError(messages::InvalidArnPart("AWS partition", name_or_arn));
  }
  if (parts.region != context.region) {
    return ValidationError(messages::InvalidArnPart("AWS region", name_or_arn));
  }
  if (parts.service != kService || !resource.starts_with(kTableResource) ||
      resource.find('/', kTableResource.size()) != std::string_view::npos) {
    return ValidationError(messages::InvalidArnPart("resource type", name_or_arn));
  }
  if (parts.account != context.account_id) {
    return MakeError(ErrorKind::kResourceNotFound, messages::ArnNotFound(name_or_arn));
  }
  return resource.substr(kTableResource.size());
}

}  // namespace dynolith
