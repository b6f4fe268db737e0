#include "tools/ship/log_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <system_error>

#include "engine/base/errno_status.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/integrity_manifest.h"
#include "tools/backup/file_copy.h"
#include "tools/ship/messages.h"

namespace dynolith::ship {
namespace {

namespace fs = std::filesystem;

absl::Status WriteAt(const std::string& file, uint64_t offset, std::string_view bytes) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  int error = descriptor < 0 ? errno : 0;
  while (error == 0 && !bytes.empty()) {
    const ssize_t put = pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      error = errno;
      break;
    }
    bytes.remove_prefix(static_cast<size_t>(put));
    offset += static_cast<uint64_t>(put);
  }
  if (descriptor >= 0 && close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0) return absl::OkStatus();
  return ErrnoStatus(error, messages::FileUnwritten(file, ErrnoReason(error)));
}

}  // namespace

LogLengths::LogLengths(const Base& base) : first_(base.log) {
  for (const SnapshotFile& file : base.files.files) {
    if (const std::optional<uint64_t> number = LogNumber(file.name)) bytes_[*number] = file.bytes;
  }
}

LogLengths::LogLengths(const Base& base, const std::string& folder) : first_(base.log) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::optional<uint64_t> number = LogNumber(it->path().filename().string());
    if (number && *number >= first_) bytes_[*number] = it->file_size(error);
  }
}

absl::StatusOr<bool> LogLengths::Add(std::string_view object, const SegmentPart& part) {
  if (part.log < first_) return false;
  uint64_t& length = bytes_[part.log];
  if (part.offset > length) {
    return absl::DataLossError(messages::SegmentsApart(object, part.log, part.offset, length));
  }
  length = std::max(length, part.offset + part.bytes);
  unsynced_.insert(part.log);
  return true;
}

absl::Status WriteParts(const std::string& folder, std::string_view object, const Segment& segment,
                        LogLengths* logs) {
  std::string_view rest = segment.data;
  for (const SegmentPart& part : segment.parts) {
    const std::string_view bytes = rest.substr(0, part.bytes);
    rest.remove_prefix(part.bytes);
    DYNOLITH_ASSIGN_OR_RETURN(const bool is_needed, logs->Add(object, part));
    if (!is_needed) continue;
    DYNOLITH_RETURN_IF_ERROR(WriteAt(Concat(folder, "/", LogName(part.log)), part.offset, bytes));
  }
  return absl::OkStatus();
}

absl::Status SyncLogs(const std::string& folder, LogLengths* logs) {
  if (logs->unsynced().empty()) return absl::OkStatus();
  for (const uint64_t log : logs->unsynced()) {
    const std::string file = Concat(folder, "/", LogName(log));
    const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
    const int error = descriptor < 0 || fdatasync(descriptor) != 0 ? errno : 0;
    if (descriptor >= 0) close(descriptor);
    if (error != 0) {
      return ErrnoStatus(error, messages::FileUnwritten(file, ErrnoReason(error)));
    }
  }
  DYNOLITH_RETURN_IF_ERROR(SyncFolder(folder));
  logs->NoteSynced();
  return absl::OkStatus();
}

}  // namespace dynolith::ship
