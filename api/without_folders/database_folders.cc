#include "api/service/database_folders.h"

#include "engine/base/strings.h"
#include "engine/store/without_folders/messages.h"

namespace dynolith {
namespace {

absl::Status WithoutFolders(std::string_view folder) {
  return absl::FailedPreconditionError(
      ToAbsl(messages::BuiltWithoutFolders(Concat("databases in the folder ", folder))));
}

}  // namespace

absl::StatusOr<std::string> FoldersBeside(std::string folder) { return WithoutFolders(folder); }
bool MakeDatabaseFolder(const std::string& /*folder*/) { return false; }
absl::StatusOr<std::vector<std::string>> NamesInFolder(const std::string& folder) {
  return WithoutFolders(folder);
}
// What is given is refused where it is used: here nobody can look.
bool IsFolder(const std::string& /*folder*/) { return true; }

}  // namespace dynolith
