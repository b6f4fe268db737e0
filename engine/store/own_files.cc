#include "engine/store/own_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "engine/base/errno_status.h"
#include "engine/store/messages.h"

namespace dynolith {

absl::Status ReadFailure(const std::string& file, int error) {
  if (error == ENOENT) return absl::DataLossError(messages::StoreFileMissing(file));
  return ErrnoStatus(error, messages::StoreFileUnread(file, ErrnoReason(error)));
}

absl::Status FolderFailure(const std::string& folder, int error) {
  const std::string reason = ErrnoReason(error);
  const bool has_no_files = error == EMFILE || error == ENFILE;
  return ErrnoStatus(error, has_no_files ? messages::StoreWithoutFiles(folder, reason)
                                         : messages::StoreFolderUnusable(folder, reason));
}

absl::Status WriteFailure(const std::string& file, int error) {
  return ErrnoStatus(error, messages::StoreFileUnusable(file, ErrnoReason(error)));
}

absl::Status WriteAndSync(int descriptor, const std::string& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return WriteFailure(file, errno);
    // A write of no bytes sets no error.
    if (written == 0) return WriteFailure(file, ENOSPC);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return fsync(descriptor) == 0 ? absl::OkStatus() : WriteFailure(file, errno);
}

absl::Status WriteWholeFile(const std::string& file, std::string_view bytes) {
  const int out = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (out < 0) return WriteFailure(file, errno);
  absl::Status status = WriteAndSync(out, file, bytes);
  close(out);
  return status;
}

absl::Status SyncFile(const std::string& file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return WriteFailure(file, errno);
  const int error = fdatasync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  return error == 0 ? absl::OkStatus() : WriteFailure(file, error);
}

absl::StatusOr<uint64_t> BytesOfFile(const std::string& file) {
  struct stat facts = {};
  if (stat(file.c_str(), &facts) != 0) return ReadFailure(file, errno);
  return static_cast<uint64_t>(facts.st_size);
}

}  // namespace dynolith
