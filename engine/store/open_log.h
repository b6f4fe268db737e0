// Finds the log file about which RocksDB complained while it opened a store: its status does not
// say. Private to engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_OPEN_LOG_H_
#define DYNOLITH_ENGINE_STORE_OPEN_LOG_H_

#include <cstdarg>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "rocksdb/env.h"

namespace dynolith {

// Passes RocksDB's messages on, except that its options are not saved, and remembers the log file
// whose records it drops. Thread-safe.
class OpenLog final : public rocksdb::Logger {
 public:
  // `next` gets every message; nullptr: none.
  explicit OpenLog(std::shared_ptr<rocksdb::Logger> next)
      : rocksdb::Logger(rocksdb::InfoLogLevel::WARN_LEVEL), next_(std::move(next)) {}

  // The path of the damaged log file; empty if there is none.
  std::string damaged_file() const ABSL_LOCKS_EXCLUDED(mutex_);

  using rocksdb::Logger::Logv;
  void Logv(const char* format, va_list arguments) override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  const std::shared_ptr<rocksdb::Logger> next_;
  mutable absl::Mutex mutex_;
  std::string damaged_file_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_OPEN_LOG_H_
