#include "api/c/outside.h"

#include "engine/base/strings.h"
#include "engine/store/without_folders/messages.h"

namespace dynolith::c {

absl::StatusOr<std::unique_ptr<Endpoint>> OpenEndpoint(const OpenSettings& settings) {
  return absl::FailedPreconditionError(ToAbsl(
      messages::BuiltWithoutFolders(Concat("a database behind the endpoint ", settings.endpoint))));
}

std::shared_ptr<BulkTransfer> MakeTransfers(const std::string& /*buckets_folder*/) {
  return nullptr;
}

}  // namespace dynolith::c
