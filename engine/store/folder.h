// The folder of a store as a whole: whose it is, which format it has, whether a part is missing.
// RocksDB alone would start empty in a folder that has lost its CURRENT file.
//
//   DYNOLITH = "dynolith store " version [" " state] "\n"
//   version  = decimal; this program writes 1
//   state    = "creating": nothing was ever acknowledged, so missing files are no damage
//            | "copied":   a checkpoint that was never opened, which may have no log
#ifndef DYNOLITH_ENGINE_STORE_FOLDER_H_
#define DYNOLITH_ENGINE_STORE_FOLDER_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith {

inline constexpr std::string_view kFormatFile = "DYNOLITH";
inline constexpr int kFormatVersion = 1;

// Holds a store's folder: as long as it lives no other process can open it (and none can write to
// it while it is held for reading).
class Folder {
 public:
  // Creates the folder unless `read_only`, takes it, and looks whether it holds a complete store,
  // or nothing yet. Errors: those of Store::Open.
  static absl::StatusOr<Folder> Open(const std::string& path, bool read_only);

  Folder() = default;
  Folder(Folder&& other) noexcept;
  Folder& operator=(Folder&& other) noexcept;
  ~Folder();

  // Notes that the store is complete; from now on a missing file is damage.
  absl::Status MarkComplete();
  // Writes the format file of a fresh checkpoint in `path`.
  static absl::Status MarkCopied(const std::string& path);

 private:
  Folder(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_ = -1;  // of the folder; carries the lock
  bool complete_ = false;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_FOLDER_H_
