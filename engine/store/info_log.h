// RocksDB's info log, the file LOG in the data folder, for disks that fail: it loses lines then.
// RocksDB's own ends the process by an assertion when it writes after a failed write.
#ifndef DYNOLITH_ENGINE_STORE_INFO_LOG_H_
#define DYNOLITH_ENGINE_STORE_INFO_LOG_H_

#include <cstdarg>
#include <cstddef>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "rocksdb/env.h"

namespace dynolith {

// Writes warnings and errors, each line at once. Begins a new file at its creation and when the
// file has reached its bound; the previous one becomes LOG.old. Thread-safe.
class InfoLog final : public rocksdb::Logger {
 public:
  static constexpr size_t kFileBytesMax = 1 << 20;

  explicit InfoLog(const std::string& folder, size_t file_bytes_max = kFileBytesMax);
  ~InfoLog() override;

  using rocksdb::Logger::Logv;
  void Logv(const char* format, va_list arguments) override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Begin() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string file_;
  const size_t file_bytes_max_;
  absl::Mutex mutex_;
  int descriptor_ ABSL_GUARDED_BY(mutex_) = -1;
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_INFO_LOG_H_
