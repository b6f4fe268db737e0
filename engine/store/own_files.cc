#include "engine/store/own_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "absl/cleanup/cleanup.h"
#include "engine/base/errno_status.h"
#include "engine/base/status_macros.h"
#include "engine/store/messages.h"

namespace dynolith {
namespace {

bool HasNoFiles(int error) { return error == EMFILE || error == ENFILE; }

}  // namespace

absl::Status ReadFailure(const std::string& file, int error) {
  if (error == ENOENT) return absl::DataLossError(messages::StoreFileMissing(file));
  return ErrnoStatus(error, messages::StoreFileUnread(file, ErrnoReason(error)));
}

absl::Status FolderFailure(const std::string& folder, int error) {
  if (HasNoFiles(error)) return FolderReadFailure(folder, error);
  return ErrnoStatus(error, messages::StoreFolderUnusable(folder, ErrnoReason(error)));
}

absl::Status FolderReadFailure(const std::string& folder, int error) {
  const std::string reason = ErrnoReason(error);
  return ErrnoStatus(error, HasNoFiles(error) ? messages::StoreWithoutFiles(folder, reason)
                                              : messages::StoreFolderUnread(folder, reason));
}

absl::Status WriteFailure(const std::string& file, int error) {
  return ErrnoStatus(error, messages::StoreFileUnusable(file, ErrnoReason(error)));
}

namespace {

absl::Status WriteAll(int descriptor, const std::string& file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return WriteFailure(file, errno);
    // A write of no bytes sets no error.
    if (written == 0) return WriteFailure(file, ENOSPC);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status WriteAndSync(int descriptor, const std::string& file, std::string_view bytes) {
  DYNOLITH_RETURN_IF_ERROR(WriteAll(descriptor, file, bytes));
  return fsync(descriptor) == 0 ? absl::OkStatus() : WriteFailure(file, errno);
}

absl::Status WriteWholeFile(const std::string& file, std::string_view bytes) {
  const int out = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (out < 0) return WriteFailure(file, errno);
  absl::Status status = WriteAndSync(out, file, bytes);
  close(out);
  return status;
}

int LinkFile(const std::string& from, const std::string& to) {
  return linkat(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

absl::Status CopyFile(const std::string& from, const std::string& to, uint64_t bytes) {
  const int in = open(from.c_str(), O_RDONLY | O_CLOEXEC);
  if (in < 0) return ReadFailure(from, errno);
  const auto close_in = absl::MakeCleanup([&] { close(in); });
  const int out = open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (out < 0) return WriteFailure(to, errno);
  const auto close_out = absl::MakeCleanup([&] { close(out); });
  std::array<char, 64 << 10> part;
  while (bytes > 0) {
    const ssize_t got = read(in, part.data(), std::min<uint64_t>(part.size(), bytes));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ReadFailure(from, errno);
    if (got == 0) break;
    bytes -= static_cast<uint64_t>(got);
    DYNOLITH_RETURN_IF_ERROR(WriteAll(out, to, {part.data(), static_cast<size_t>(got)}));
  }
  return fsync(out) == 0 ? absl::OkStatus() : WriteFailure(to, errno);
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
