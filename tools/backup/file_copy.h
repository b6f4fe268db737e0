// Copies and writes files for backups: each call computes the checksum of the bytes that it read,
// and returns when the file is synced to the disk.
#ifndef DYNOLITH_TOOLS_BACKUP_FILE_COPY_H_
#define DYNOLITH_TOOLS_BACKUP_FILE_COPY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith {

struct FileDigest {
  std::string sha256;  // 64 lower-case hexadecimal digits
  uint64_t bytes = 0;
};

std::string Sha256OfText(std::string_view text);
// Errors of all below name the file: kNotFound, kPermissionDenied, kResourceExhausted, kInternal.
absl::StatusOr<FileDigest> DigestFile(const std::string& file);
absl::StatusOr<std::string> ReadTextFile(const std::string& file);
// Copies the bytes, never links, and syncs the copy. Requires: there is no `to`.
absl::StatusOr<FileDigest> CopyAndDigest(const std::string& from, const std::string& to);
// Writes `temporary`, syncs it, renames it to `file` and syncs the folder: `file` is there as a
// whole or not at all.
absl::Status PlaceTextFile(const std::string& temporary, const std::string& file,
                           std::string_view text);
absl::Status SyncFolder(const std::string& folder);
// Makes a folder and its missing parents, and syncs the folders that contain them, so that a power
// loss removes none.
absl::Status MakeFolders(const std::string& folder);

// Locks a folder by flock against other processes that do so, until it is destroyed or the process
// ends.
class FolderHold {
 public:
  enum class Kind : uint8_t { kShared, kExclusive };
  // Does not wait. `held`: the text of kUnavailable if another process holds the lock.
  static absl::StatusOr<FolderHold> Take(const std::string& folder, Kind kind,
                                         std::string_view held);
  FolderHold(FolderHold&& other) noexcept;
  FolderHold& operator=(FolderHold&& other) noexcept;
  ~FolderHold();

 private:
  explicit FolderHold(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_BACKUP_FILE_COPY_H_
