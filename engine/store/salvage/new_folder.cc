#include "engine/store/salvage/new_folder.h"

#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "engine/store/messages.h"
#include "engine/store/own_files.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;

// What mkfs makes in a fresh volume.
constexpr std::string_view kOfVolume = "lost+found";

std::vector<fs::path> WhatIsIn(const std::string& folder, std::error_code* error) {
  std::vector<fs::path> found;
  for (fs::directory_iterator it(folder, *error), end; !*error && it != end; it.increment(*error)) {
    if (it->path().filename() != kOfVolume) found.push_back(it->path());
  }
  return found;
}

}  // namespace

absl::StatusOr<NewFolder> NewFolder::Make(const std::string& path) {
  std::error_code error;
  const bool is_made = fs::create_directories(path, error);
  if (error) return FolderFailure(path, error.value());
  const bool is_empty = WhatIsIn(path, &error).empty();
  if (error) return FolderFailure(path, error.value());
  if (!is_empty) return absl::FailedPreconditionError(messages::CheckpointFolderInUse(path));
  return NewFolder(path, is_made);
}

NewFolder::~NewFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  for (const fs::path& path : WhatIsIn(path_, &ignored)) fs::remove_all(path, ignored);
  if (is_made_) fs::remove(path_, ignored);
}

}  // namespace dynolith
