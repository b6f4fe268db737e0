#include "api/stream/stream_arn.h"

#include "api/request/arn.h"
#include "api/stream/messages.h"
#include "engine/base/errors.h"

namespace dynolith {
namespace {

constexpr std::string_view kService = "arn:aws:dynamodb:";
constexpr std::string_view kStream = "/stream/";

}  // namespace

std::string MakeStreamArn(const OperationContext& context, const StreamName& name) {
  return StreamArn(TableArn(context, name.table), name.label);
}

absl::StatusOr<StreamName> ParseStreamArn(const OperationContext& context, std::string_view arn) {
  const auto invalid = [arn] { return ValidationError(messages::InvalidStreamArn(arn)); };
  if (!arn.starts_with(kService)) return invalid();
  // region : account : table/name/stream/label
  const size_t region_end = arn.find(':', kService.size());
  if (region_end == std::string_view::npos) return invalid();
  const size_t account_end = arn.find(':', region_end + 1);
  if (account_end == std::string_view::npos) return invalid();
  const std::string_view resource = arn.substr(account_end + 1);
  const size_t stream = resource.find(kStream);
  if (!resource.starts_with(kTableResource) || stream == std::string_view::npos) return invalid();
  const std::string_view table =
      resource.substr(kTableResource.size(), stream - kTableResource.size());
  const std::string_view label = resource.substr(stream + kStream.size());
  if (table.empty() || label.empty() || table.find('/') != std::string_view::npos ||
      label.find('/') != std::string_view::npos) {
    return invalid();
  }
  StreamName name{std::string(table), std::string(label)};
  if (MakeStreamArn(context, name) != arn) return StreamNotFound(arn);
  return name;
}

absl::Status StreamNotFound(std::string_view arn) {
  return MakeError(ErrorKind::kResourceNotFound, messages::StreamNotFound(arn));
}

}  // namespace dynolith
