#include "tools/server/trace/trace_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "engine/base/errno_status.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/server/trace/messages.h"
#include "tools/server/trace/trace_format.h"

namespace dynolith::trace {
namespace {

// Only the owner may read what users requested.
constexpr mode_t kMode = 0600;

absl::Status Fault(const std::string& file, int error) {
  return ErrnoStatus(error, messages::TraceNotWritten(file, ErrnoReason(error)));
}

// Whether there is a trace, so that it may be replaced. Errors: there is something else.
absl::StatusOr<bool> IsTrace(const std::string& file) {
  const int opened = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (opened < 0) {
    if (errno == ENOENT) return false;
    return Fault(file, errno);
  }
  std::string bytes(kHeaderBytes, '\0');
  struct stat status {};
  const bool is_file = fstat(opened, &status) == 0 && S_ISREG(status.st_mode);
  const ssize_t count = is_file ? read(opened, bytes.data(), bytes.size()) : -1;
  close(opened);
  FileHeader header;
  bytes.resize(static_cast<size_t>(count > 0 ? count : 0));
  // An empty one is nobody's loss: a disk was full, or somebody made it beforehand.
  const bool may_go = count == 0 || DecodeHeader(bytes, &header) != HeaderError::kNoTrace;
  if (may_go) return true;
  return absl::AlreadyExistsError(messages::TraceIsSomethingElse(file));
}

}  // namespace

std::string NameOfFile(const std::string& file, int number) {
  return number == 0 ? file : Concat(file, ".", number);
}

absl::StatusOr<TraceFiles> TraceFiles::Open(const TraceFilesOptions& options) {
  for (int i = 0; i < options.files_max; ++i) {
    DYNOLITH_RETURN_IF_ERROR(IsTrace(NameOfFile(options.file, i)).status());
  }
  TraceFiles files(options);
  // One without blocks is not worth the oldest of them: servers may try to start again and again.
  std::error_code error;
  const bool holds_blocks = std::filesystem::file_size(options.file, error) > kHeaderBytes;
  if (!error && holds_blocks) DYNOLITH_RETURN_IF_ERROR(files.Rotate());
  DYNOLITH_RETURN_IF_ERROR(files.Begin());
  return files;
}

TraceFiles::TraceFiles(TraceFiles&& other) noexcept
    : options_(std::move(other.options_)),
      file_(std::exchange(other.file_, -1)),
      bytes_(other.bytes_),
      number_(other.number_) {}

TraceFiles::~TraceFiles() {
  if (file_ >= 0) close(file_);
}

absl::Status TraceFiles::Rotate() const {
  for (int i = options_.files_max - 1; i > 0; --i) {
    const std::string from = NameOfFile(options_.file, i - 1);
    if (rename(from.c_str(), NameOfFile(options_.file, i).c_str()) == 0) continue;
    if (errno != ENOENT) return Fault(from, errno);
  }
  return absl::OkStatus();
}

absl::Status TraceFiles::Begin() {
  if (file_ >= 0) close(file_);
  const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
  file_ = open(options_.file.c_str(), flags, kMode);
  if (file_ < 0) return Fault(options_.file, errno);
  bytes_ = 0;
  return Write(EncodeHeader(
      {.has_plain_keys = options_.plain_keys, .run = options_.run, .number = number_++}));
}

absl::Status TraceFiles::Append(std::string_view block) {
  const bool is_full = bytes_ + static_cast<int64_t>(block.size()) > options_.bytes_max;
  if (is_full && bytes_ > static_cast<int64_t>(kHeaderBytes)) {
    DYNOLITH_RETURN_IF_ERROR(Rotate());
    DYNOLITH_RETURN_IF_ERROR(Begin());
  }
  return Write(block);
}

absl::Status TraceFiles::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Fault(options_.file, errno);
    bytes_ += count;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

}  // namespace dynolith::trace
