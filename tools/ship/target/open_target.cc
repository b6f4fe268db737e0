#include "engine/base/strings.h"
#include "tools/ship/target/folder_target.h"
#include "tools/ship/target/messages.h"
#include "tools/ship/target/s3_target.h"
#include "tools/ship/target/ship_target.h"

namespace dynolith::ship {

absl::StatusOr<std::unique_ptr<ShipTarget>> OpenTarget(std::string_view url,
                                                       const TargetOptions& options) {
  if (url.starts_with(kS3Scheme)) return S3Target::Open(url, options);
  constexpr std::string_view kFile = "file://";
  const bool is_file = url.starts_with(kFile);
  const std::string_view path = is_file ? url.substr(kFile.size()) : url;
  const bool is_whole = is_file && path.starts_with('/');
  if (path.empty() || (!is_whole && url.find("://") != std::string_view::npos)) {
    return absl::InvalidArgumentError(messages::ShipUrlOdd(url));
  }
  return FolderTarget::Open(std::string(path), {.interrupted = options.interrupted,
                                                .only_reads = options.only_reads,
                                                .must_exist = options.must_exist});
}

}  // namespace dynolith::ship
