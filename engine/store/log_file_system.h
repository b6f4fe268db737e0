// RocksDB's logs on a disk that can be full. After a failed write of its log RocksDB refuses every
// later one until it is opened again, or ends the process by an assertion. So a write that does not
// fit is refused here, in a way that RocksDB does not treat as a failure of the log, and the log
// stays whole: its next record is where RocksDB expects it.
#ifndef DYNOLITH_ENGINE_STORE_LOG_FILE_SYSTEM_H_
#define DYNOLITH_ENGINE_STORE_LOG_FILE_SYSTEM_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "rocksdb/file_system.h"

namespace dynolith {

// Finds the ends of the records in a log (log_reader.h has the format) that arrives in pieces.
class RecordEnds {
 public:
  // `piece` follows the bytes fed before.
  void Feed(std::string_view piece);
  bool is_at_end() const { return !in_record_ && rest_ == 0; }

 private:
  uint64_t position_ = 0;
  uint64_t rest_ = 0;   // of the payload of the fragment at the position
  std::string header_;  // of the begun fragment, as far as it has arrived
  bool in_record_ = false;
};

// A record for the end of a log of `log_bytes` bytes that replaces `record` and changes nothing: of
// the same length, and with the same sequence number before the next one. Requires: `record` is a
// whole one for that place.
std::string VoidRecord(uint64_t log_bytes, std::string_view record);

class LogFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  // `folder`: that of the store, which contains its logs.
  LogFileSystem(const std::shared_ptr<rocksdb::FileSystem>& target, std::string folder)
      : FileSystemWrapper(target), folder_(std::move(folder)) {}

  const char* Name() const override { return "dynolith.LogFileSystem"; }

  // Whether a log that is open has failed, other than for lack of room: RocksDB 7.8 ends the
  // process by an assertion when such a log is synced. Thread-safe.
  bool HasFailedLog() const { return *failed_logs_ > 0; }

  // A log whose Flush answers Busy if the record before it does not fit on the disk: then no part
  // of it is there, and the next one may be written. While there is room this costs a check of the
  // length of each fragment, and a copy of records longer than RocksDB's buffer. Files of other
  // folders, where a checkpoint copies logs in arbitrary pieces, are the target's.
  rocksdb::IOStatus NewWritableFile(const std::string& file, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override;
  // A folder whose syncs, which follow the first sync of a log, never report lack of space.
  rocksdb::IOStatus NewDirectory(const std::string& name, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* result,
                                 rocksdb::IODebugContext* debug) override;

 private:
  const std::string folder_;
  // Shared with the logs, which may outlive this object.
  const std::shared_ptr<std::atomic<int>> failed_logs_ = std::make_shared<std::atomic<int>>(0);
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_LOG_FILE_SYSTEM_H_
