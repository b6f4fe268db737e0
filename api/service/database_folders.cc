#include "api/service/database_folders.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "api/service/messages.h"
#include "engine/base/errno_status.h"
#include "engine/base/strings.h"

namespace dynolith {

absl::StatusOr<std::string> FoldersBeside(std::string folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  std::error_code error;
  const std::filesystem::path real = std::filesystem::canonical(folder, error);
  if (error)
    return ErrnoStatus(error.value(), messages::DatabasesNotListed(folder, error.message()));
  std::string named = Concat(real.string(), ".databases");
  const std::string beside = Concat(folder, ".databases");
  if (!std::filesystem::exists(beside, error) ||
      std::filesystem::equivalent(beside, named, error)) {
    return named;
  }
  return absl::FailedPreconditionError(messages::DatabasesElsewhere(beside, named));
}

bool MakeDatabaseFolder(const std::string& folder) {
  std::error_code ignored;
  return std::filesystem::create_directories(folder, ignored);
}

absl::StatusOr<std::vector<std::string>> NamesInFolder(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  if (error == std::errc::no_such_file_or_directory) return names;
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    names.push_back(entry->path().filename());
  }
  if (error) {
    return ErrnoStatus(error.value(), messages::DatabasesNotListed(folder, error.message()));
  }
  return names;
}

bool IsFolder(const std::string& folder) {
  std::error_code ignored;
  return std::filesystem::is_directory(folder, ignored);
}

}  // namespace dynolith
