// The folder of a store as a whole: whose it is, which format it has, whether a part is missing.
// RocksDB alone would start empty in a folder that has lost its CURRENT file.
//
//   DYNOLITH = "dynolith store " version [" " state] "\n"
//   version  = decimal; this program writes 1
//   state    = "creating": nothing was ever acknowledged, so missing files are no damage
//            | "copied":   a checkpoint that was never opened, which may have no log
#ifndef DYNOLITH_ENGINE_STORE_FOLDER_H_
#define DYNOLITH_ENGINE_STORE_FOLDER_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith {

inline constexpr std::string_view kFormatFile = "DYNOLITH";
inline constexpr int kFormatVersion = 1;

// Holds a store's folder: as long as it lives no other process can open it to write (and none to
// read, while it is held for writing). kReadBesideWriter holds nothing: a writer may come and go,
// and a file that was there may be gone a moment later.
class Folder {
 public:
  enum class Use : uint8_t { kWrite, kRead, kReadBesideWriter };

  // Creates the folder for kWrite, takes it, and looks whether it holds a complete store, or
  // nothing yet. Errors: those of Store::Open.
  static absl::StatusOr<Folder> Open(const std::string& path, Use use);

  Folder() = default;
  Folder(Folder&& other) noexcept;
  Folder& operator=(Folder&& other) noexcept;
  ~Folder();

  // Notes that the store is complete; from now on a missing file is damage.
  absl::Status MarkComplete();
  // Makes the parents of `path`, and takes it away if it is an empty folder. Errors:
  // kFailedPrecondition if there is something in it; as Open.
  static absl::Status MakeRoomForCopy(const std::string& path);
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
