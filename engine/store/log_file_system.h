// RocksDB's logs on a disk that can be full. After a failed write of its log RocksDB refuses every
// later one until it is opened again, or ends the process by an assertion. So what a full disk does
// not take is refused here, in a way that RocksDB does not take for a failure of the log, and the
// log stays whole: its next record stands where RocksDB believes to have written it.
#ifndef DYNOLITH_ENGINE_STORE_LOG_FILE_SYSTEM_H_
#define DYNOLITH_ENGINE_STORE_LOG_FILE_SYSTEM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "rocksdb/file_system.h"

namespace dynolith {

// Finds the ends of the records in a log (log_reader.h has the format) that comes in pieces.
class RecordEnds {
 public:
  // `piece` stands behind what was fed before.
  void Feed(std::string_view piece);
  bool is_at_end() const { return !in_record_ && rest_ == 0; }

 private:
  uint64_t position_ = 0;
  uint64_t rest_ = 0;   // of the payload of the fragment at the position
  std::string header_;  // of the fragment that has begun, as far as it came
  bool in_record_ = false;
};

// A record for the end of a log of `log_bytes` bytes that takes the place of `record` and changes
// nothing: of the same length, and with the same sequence before the next one. Requires: `record`
// is a whole one for that place.
std::string VoidRecord(uint64_t log_bytes, std::string_view record);

class LogFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  // `folder`: that of the store, in which its logs are.
  LogFileSystem(const std::shared_ptr<rocksdb::FileSystem>& target, std::string folder)
      : FileSystemWrapper(target), folder_(std::move(folder)) {}

  const char* Name() const override { return "dynolith.LogFileSystem"; }

  // A log whose Flush answers Busy if the record before it does not fit on the disk: then nothing
  // of it is there, and the next one may be written. As long as there is room that costs a look at
  // the length of each fragment, and a copy of a record that is longer than RocksDB's buffer.
  // Files of other folders, where a checkpoint copies logs in pieces that end anywhere, are the
  // target's.
  rocksdb::IOStatus NewWritableFile(const std::string& file, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override;
  // A folder whose syncs, which belong to a log's first one, never say that there is no space.
  rocksdb::IOStatus NewDirectory(const std::string& name, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* result,
                                 rocksdb::IODebugContext* debug) override;

 private:
  const std::string folder_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_LOG_FILE_SYSTEM_H_
