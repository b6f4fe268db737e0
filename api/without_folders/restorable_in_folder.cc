#include "api/database/restorable_in_folder.h"

#include <string>

#include "engine/base/strings.h"
#include "engine/store/without_folders/messages.h"

namespace dynolith {
namespace {

absl::Status NoDatabaseInFolder(std::string_view folder) {
  return absl::FailedPreconditionError(
      ToAbsl(messages::BuiltWithoutFolders(Concat("a database in the folder ", folder))));
}

}  // namespace

absl::StatusOr<std::unique_ptr<RestorableDatabase>> OpenRestorableInFolder(
    const RestorableOptions& options) {
  return NoDatabaseInFolder(options.database.path);
}

bool RestorableDatabase::IsFolder(const std::string& /*path*/) { return false; }
absl::Status RestorableDatabase::DeleteFolder(const std::string& path) {
  return NoDatabaseInFolder(path);
}
absl::Status RestorableDatabase::TidyFolders(const std::string& parent) {
  return NoDatabaseInFolder(parent);
}

}  // namespace dynolith
