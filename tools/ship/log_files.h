// The logs of a store that is being made of a base and segments.
#ifndef DYNOLITH_TOOLS_SHIP_LOG_FILES_H_
#define DYNOLITH_TOOLS_SHIP_LOG_FILES_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/ship/base.h"
#include "tools/ship/segment.h"

namespace dynolith::ship {

// Which bytes of which logs are there, without their files: for those who only check.
class LogLengths {
 public:
  explicit LogLengths(const Base& base);
  // Those that the folder has, of those that the base needs.
  LogLengths(const Base& base, const std::string& folder);
  // Whether a part adds to a log; false: it is of one that the base does not need. Errors:
  // kDataLoss if bytes before it are missing. `object` is for messages.
  absl::StatusOr<bool> Add(std::string_view object, const SegmentPart& part);
  // By the logs' numbers.
  const std::map<uint64_t, uint64_t>& bytes() const { return bytes_; }
  // The logs that were added to since they were on the disk.
  const std::set<uint64_t>& unsynced() const { return unsynced_; }
  void NoteSynced() { unsynced_.clear(); }

 private:
  const uint64_t first_;
  std::map<uint64_t, uint64_t> bytes_;  // log -> length
  std::set<uint64_t> unsynced_;
};

// Writes the parts of a segment to the logs in `folder`, which it makes when they are missing.
absl::Status WriteParts(const std::string& folder, std::string_view object, const Segment& segment,
                        LogLengths* logs);
// Sees to it that what was written to them is on the disk.
absl::Status SyncLogs(const std::string& folder, LogLengths* logs);

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_LOG_FILES_H_
