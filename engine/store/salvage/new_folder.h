// The folder that a salvage fills: as it was before, unless all of it comes to a good end.
#ifndef DYNOLITH_ENGINE_STORE_SALVAGE_NEW_FOLDER_H_
#define DYNOLITH_ENGINE_STORE_SALVAGE_NEW_FOLDER_H_

#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace dynolith {

class NewFolder {
 public:
  // Makes the folder with its parents, or takes an empty one as it is: with its mode, as a mount
  // point, or by a link. Errors: kFailedPrecondition if there is something in it (the lost+found of
  // a fresh volume is nothing); as FolderFailure.
  static absl::StatusOr<NewFolder> Make(const std::string& path);

  NewFolder(NewFolder&& other) noexcept
      : path_(std::exchange(other.path_, "")), is_made_(other.is_made_) {}
  NewFolder& operator=(NewFolder&& other) = delete;
  // Removes what is in the folder, and the folder if Make has made it. Its parents stay.
  ~NewFolder();

  // From here on it stays as it is.
  void Keep() { path_.clear(); }

 private:
  NewFolder(std::string path, bool is_made) : path_(std::move(path)), is_made_(is_made) {}

  std::string path_;  // empty: it stays
  bool is_made_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_SALVAGE_NEW_FOLDER_H_
