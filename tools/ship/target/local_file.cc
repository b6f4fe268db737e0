#include "tools/ship/target/local_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "engine/base/errno_status.h"
#include "engine/base/strings.h"
#include "tools/ship/target/messages.h"

namespace dynolith::ship {
namespace {

absl::Status Unread(const std::string& path, int error) {
  return ErrnoStatus(error, messages::ShipFileUnread(path, ErrnoReason(error)));
}

absl::Status Unwritten(const std::string& path, int error) {
  const std::string message = messages::ShipFileUnwritten(path, ErrnoReason(error));
  return error == EEXIST ? absl::AlreadyExistsError(message) : ErrnoStatus(error, message);
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

int WriteAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

int ReadUpTo(int descriptor, size_t bytes, std::string* read) {
  read->resize(bytes);
  size_t size = 0;
  int error = 0;
  while (size < bytes) {
    const ssize_t got = ::read(descriptor, read->data() + size, bytes - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error = errno;
    if (got <= 0) break;
    size += static_cast<size_t>(got);
  }
  read->resize(size);
  return error;
}

absl::StatusOr<LocalReader> LocalReader::Open(const std::string& path) {
  Descriptor in(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat found = {};
  if (!in.IsOpen() || fstat(in.number(), &found) != 0) return Unread(path, errno);
  if (!S_ISREG(found.st_mode)) {
    return absl::InvalidArgumentError(
        messages::ShipFileUnread(path, messages::ShipNoRegularFile()));
  }
  return LocalReader(path, std::move(in), static_cast<uint64_t>(found.st_size));
}

absl::StatusOr<std::string> LocalReader::Read(size_t bytes) {
  std::string read;
  const int error = ReadUpTo(in_.number(), bytes, &read);
  if (error != 0) return Unread(path_, error);
  return read;
}

absl::StatusOr<std::unique_ptr<LocalWriter>> LocalWriter::Make(const std::string& path) {
  const int out = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kNewFileMode);
  if (out < 0) return Unwritten(path, errno);
  return std::unique_ptr<LocalWriter>(new LocalWriter(path, out));
}

LocalWriter::~LocalWriter() {
  if (!is_finished_) unlink(path_.c_str());
}

absl::Status LocalWriter::Write(std::string_view bytes) {
  const int error = WriteAll(out_.number(), bytes);
  return error == 0 ? absl::OkStatus() : Unwritten(path_, error);
}

absl::Status LocalWriter::Finish() {
  if (fsync(out_.number()) != 0) return Unwritten(path_, errno);
  is_finished_ = true;
  return absl::OkStatus();
}

}  // namespace dynolith::ship
