#include "tools/ship/log_tail.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "engine/base/errno_status.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/integrity_manifest.h"
#include "engine/store/log_reader.h"
#include "tools/ship/messages.h"
#include "tools/ship/work_folder.h"

namespace dynolith::ship {
namespace {

namespace fs = std::filesystem;

// How often the logs are listed anew when one of them has been deleted meanwhile.
constexpr int kLooksMax = 3;

absl::Status Unread(const std::string& file) {
  const int error = errno;
  return ErrnoStatus(error, messages::FileUnread(file, ErrnoReason(error)));
}

class OpenLog {
 public:
  explicit OpenLog(const std::string& file)
      : descriptor_(open(file.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenLog() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  OpenLog(const OpenLog&) = delete;
  OpenLog& operator=(const OpenLog&) = delete;
  bool is_open() const { return descriptor_ >= 0; }
  // Appends up to `bytes` bytes from `at` on, as many as there are.
  bool Append(uint64_t at, size_t bytes, std::string* out) const {
    const size_t before = out->size();
    out->resize(before + bytes);
    size_t done = 0;
    while (done < bytes) {
      const ssize_t got = pread(descriptor_, out->data() + before + done, bytes - done,
                                static_cast<off_t>(at + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return false;
      if (got == 0) break;
      done += static_cast<size_t>(got);
    }
    out->resize(before + done);
    return true;
  }

 private:
  const int descriptor_;
};

absl::StatusOr<uint64_t> BytesOf(const std::string& file) {
  struct stat facts = {};
  if (stat(file.c_str(), &facts) != 0) return Unread(file);
  return static_cast<uint64_t>(facts.st_size);
}

// The changes of a log: the sequence of the first one, and the one after the last.
struct Changes {
  std::optional<uint64_t> first;
  uint64_t next = 0;
};

absl::StatusOr<Changes> ReadChanges(const std::string& file) {
  DYNOLITH_ASSIGN_OR_RETURN(LogReader reader, LogReader::Open(file));
  Changes changes;
  for (;;) {
    DYNOLITH_ASSIGN_OR_RETURN(const LogReader::Outcome outcome, reader.Next());
    if (outcome != LogReader::Outcome::kRecord || reader.record().size() < kBatchHeaderBytes) {
      return changes;
    }
    const uint64_t sequence = BatchSequence(reader.record());
    if (!changes.first) changes.first = sequence;
    changes.next = sequence + BatchCount(reader.record());
  }
}

}  // namespace

LogTail::LogTail(std::string folder) : folder_(std::move(folder)), kept_(WorkFolder(folder_)) {}

absl::Status LogTail::Keep(const std::string& file) const {
  if (mkdir(kept_.c_str(), 0755) != 0 && errno != EEXIST) return Unread(kept_);
  const std::string to = Concat(kept_, "/", fs::path(file).filename().string());
  // A store that is opened may delete what is deleted already.
  if (link(file.c_str(), to.c_str()) == 0 || errno == EEXIST || errno == ENOENT) {
    return absl::OkStatus();
  }
  return Unread(file);
}

uint64_t LogTail::KeptBytes() const {
  uint64_t sum = 0;
  std::error_code error;
  for (fs::directory_iterator it(kept_, error), end; !error && it != end; it.increment(error)) {
    if (LogNumber(it->path().filename().string())) {
      sum += BytesOf(it->path().string()).value_or(0);
    }
  }
  return sum;
}

void LogTail::DropBefore(uint64_t log) const {
  std::error_code error;
  for (fs::directory_iterator it(kept_, error), end; !error && it != end; it.increment(error)) {
    const std::optional<uint64_t> number = LogNumber(it->path().filename().string());
    std::error_code ignored;
    if (number && *number < log) fs::remove(it->path(), ignored);
  }
}

absl::StatusOr<LogTail::Logs> LogTail::FindLogs() const {
  Logs logs;
  // First the store's: one that is deleted meanwhile is found where it is kept.
  for (const std::string& folder : {folder_, kept_}) {
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      const std::optional<uint64_t> number = LogNumber(it->path().filename().string());
      if (number) logs.emplace(*number, it->path().string());
    }
    if (error && !(folder == kept_ && error == std::errc::no_such_file_or_directory)) {
      return ErrnoStatus(error.value(), messages::FileUnread(folder, error.message()));
    }
  }
  return logs;
}

absl::StatusOr<LogTail::Bytes> LogTail::Read(size_t most, Position* position) const {
  for (int look = 1;; ++look) {
    DYNOLITH_ASSIGN_OR_RETURN(const Logs logs, FindLogs());
    Position behind = *position;
    absl::StatusOr<Bytes> bytes = ReadOf(logs, most, &behind);
    if (bytes.ok()) *position = behind;
    if (!absl::IsNotFound(bytes.status()) || look == kLooksMax) return bytes;
  }
}

absl::StatusOr<LogTail::Bytes> LogTail::ReadOf(const Logs& logs, size_t most,
                                               Position* position) const {
  Bytes bytes;
  auto at = logs.find(position->log);
  while (bytes.data.size() < most) {
    if (at == logs.end()) return absl::NotFoundError(messages::LogGone(folder_, position->log));
    const OpenLog log(at->second);
    if (!log.is_open()) return Unread(at->second);
    // Once another one has bytes, this one is final; so that is looked at first. One that is
    // deleted meanwhile is kept, and must not be passed by as if it had none.
    auto next = std::next(at);
    for (; next != logs.end(); ++next) {
      DYNOLITH_ASSIGN_OR_RETURN(const uint64_t written, BytesOf(next->second));
      if (written > 0) break;
    }
    const size_t before = bytes.data.size();
    if (!log.Append(position->offset, most - before, &bytes.data)) return Unread(at->second);
    const uint64_t read = bytes.data.size() - before;
    if (read > 0) bytes.parts.push_back({position->log, position->offset, read});
    position->offset += read;
    DYNOLITH_ASSIGN_OR_RETURN(const uint64_t length, BytesOf(at->second));
    if (length < position->offset) {
      return absl::NotFoundError(messages::LogGone(folder_, position->log));
    }
    if (next == logs.end()) break;
    if (length > position->offset) continue;
    at = next;
    *position = {.log = at->first, .offset = 0};
  }
  return bytes;
}

absl::StatusOr<uint64_t> LogTail::Backlog(const Position& position) const {
  DYNOLITH_ASSIGN_OR_RETURN(const Logs logs, FindLogs());
  uint64_t sum = 0;
  for (auto it = logs.lower_bound(position.log); it != logs.end(); ++it) {
    sum += BytesOf(it->second).value_or(0);
  }
  return sum - std::min(sum, position.offset);
}

absl::StatusOr<uint64_t> LogTail::NewestWritten() const {
  DYNOLITH_ASSIGN_OR_RETURN(const Logs logs, FindLogs());
  for (auto log = logs.rbegin(); log != logs.rend(); ++log) {
    if (BytesOf(log->second).value_or(0) > 0) return log->first;
  }
  return 0;
}

absl::StatusOr<LogTail::LogsOfCheckpoint> LogTail::FindLogsOf(const std::string& folder,
                                                              uint64_t written) const {
  LogsOfCheckpoint found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::optional<uint64_t> number = LogNumber(it->path().filename().string());
    if (!number) continue;
    if (found.first == 0 || *number < found.first) found.first = *number;
    if (*number > found.end.log) {
      found.end = {.log = *number, .offset = fs::file_size(it->path(), error)};
    }
  }
  if (error) return ErrnoStatus(error.value(), messages::FileUnread(folder, error.message()));
  if (found.first > 0) return found;
  // RocksDB leaves empty logs out. So the one that had bytes before is not needed any more, and the
  // first one behind it had none.
  DYNOLITH_ASSIGN_OR_RETURN(const Logs logs, FindLogs());
  const auto next = logs.upper_bound(written);
  if (next == logs.end()) return absl::UnavailableError(messages::CheckpointWithoutLog(folder));
  found.first = next->first;
  found.end = {.log = next->first, .offset = 0};
  return found;
}

absl::StatusOr<bool> LogTail::Continues(const SegmentPart& part, std::string_view data) const {
  DYNOLITH_ASSIGN_OR_RETURN(const Logs logs, FindLogs());
  auto at = logs.find(part.log);
  if (at == logs.end()) return false;
  const OpenLog log(at->second);
  std::string bytes;
  if (!log.is_open() || !log.Append(part.offset, part.bytes, &bytes)) return Unread(at->second);
  if (bytes != data) return false;
  DYNOLITH_ASSIGN_OR_RETURN(Changes before, ReadChanges(at->second));
  for (++at; at != logs.end(); ++at) {
    DYNOLITH_ASSIGN_OR_RETURN(const Changes changes, ReadChanges(at->second));
    if (!changes.first) continue;
    if (*changes.first != before.next) return false;
    before = changes;
  }
  return true;
}

}  // namespace dynolith::ship
