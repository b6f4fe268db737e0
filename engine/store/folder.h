// The folder of a store as a whole: whose it is, which format it has, whether a part is missing.
// RocksDB alone would start empty in a folder that has lost its CURRENT file.
#ifndef DYNOLITH_ENGINE_STORE_FOLDER_H_
#define DYNOLITH_ENGINE_STORE_FOLDER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/store/witness.h"

namespace dynolith {

// Holds a store's folder: as long as it lives no other process can open it to write (and none to
// read, while it is held for writing). kReadBesideWriter holds nothing: a writer may come and go,
// and a file that was there may be gone a moment later.
class Folder {
 public:
  enum class Use : uint8_t { kWrite, kRead, kReadBesideWriter };

  // Creates the folder for kWrite, takes it, and looks whether it holds a sound store
  // (soundness.h), or nothing yet. Errors: those of Store::Open.
  static absl::StatusOr<Folder> Open(const std::string& path, Use use);

  // Takes a folder for reading, whatever is in it. Errors: kNotFound, kUnavailable.
  static absl::StatusOr<Folder> Hold(const std::string& path);

  Folder() = default;
  Folder(Folder&& other) noexcept;
  Folder& operator=(Folder&& other) noexcept;
  ~Folder();

  // What RocksDB will find; in the state kCreating nothing.
  const Witness& facts() const { return facts_; }
  // How many table files there were when it was opened.
  size_t table_files() const { return table_files_; }
  // Makes the parents of `path`, and takes it away if it is an empty folder. Errors:
  // kFailedPrecondition if there is something in it; as Open.
  static absl::Status MakeRoomForCopy(const std::string& path);
  // Writes the witness of a fresh checkpoint in `path`.
  static absl::Status MarkCopied(const std::string& path);

 private:
  static absl::StatusOr<Folder> Take(const std::string& path, Use use);
  Folder(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_ = -1;  // of the folder; carries the lock
  Witness facts_;
  size_t table_files_ = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_FOLDER_H_
