// Reads the logs of a store's folder while the store writes them, as bytes.
#ifndef DYNOLITH_TOOLS_SHIP_LOG_TAIL_H_
#define DYNOLITH_TOOLS_SHIP_LOG_TAIL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/ship/segment.h"

namespace dynolith::ship {

// Thread-compatible, but for Keep.
class LogTail {
 public:
  // Where the next byte is.
  struct Position {
    uint64_t log = 0;
    uint64_t offset = 0;
  };
  struct Bytes {
    std::vector<SegmentPart> parts;
    std::string data;
  };

  // `folder`: of the store. Logs that the store deletes wait in a folder in it.
  explicit LogTail(std::string folder);

  // Keeps a link to a log that is about to be deleted. Thread-safe. Errors: the operating system's.
  absl::Status Keep(const std::string& file) const;
  // Of all that are kept. Thread-safe.
  uint64_t KeptBytes() const;
  // Forgets the logs before `log`. Thread-safe.
  void DropBefore(uint64_t log) const;

  // What has been written from `position` on, at most `most` bytes, and moves it behind them. Empty
  // if there is nothing new. A log is left only for one that has bytes: by then it is final.
  // Errors: kNotFound if the log at the position is gone or is shorter.
  absl::StatusOr<Bytes> Read(size_t most, Position* position) const;
  // How many bytes there are from `position` on.
  absl::StatusOr<uint64_t> Backlog(const Position& position) const;

  // Before a checkpoint is made: the newest log that has bytes; 0: none has.
  absl::StatusOr<uint64_t> NewestWritten() const;
  // The first log that a checkpoint in `folder` needs, if `written` was the newest one with bytes
  // before it was made, and where those go on that it has. Errors: kUnavailable: try again.
  struct LogsOfCheckpoint {
    uint64_t first = 0;
    Position end;
  };
  absl::StatusOr<LogsOfCheckpoint> FindLogsOf(const std::string& folder, uint64_t written) const;

  // Whether the log has the bytes of a part, and the changes of each log behind it, so far, go on
  // where those of the one before it end. Requires: the store is not encrypted.
  absl::StatusOr<bool> Continues(const SegmentPart& part, std::string_view data) const;

 private:
  // Number -> file: those of the store and those that were kept.
  using Logs = std::map<uint64_t, std::string>;
  absl::StatusOr<Logs> FindLogs() const;
  absl::StatusOr<Bytes> ReadOf(const Logs& logs, size_t most, Position* position) const;

  const std::string folder_;
  const std::string kept_;
};

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_LOG_TAIL_H_
