// Files as a backup treats them: each with the checksum of all that was read, and on the disk, not
// only with the operating system, when a call returns.
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
// Makes a folder and those above it that are missing, and syncs the ones that they are in: none of
// their names is lost with the power.
absl::Status MakeFolders(const std::string& folder);

// Holds a folder by flock, so that other processes that ask do not: as long as it lives, or the
// process does.
class FolderHold {
 public:
  enum class Kind : uint8_t { kShared, kExclusive };
  // Never waits. `held` is what kUnavailable says if another one holds it.
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
