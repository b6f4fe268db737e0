// The files of a store in memory. Private to engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_MEMORY_FILE_SYSTEM_H_
#define DYNOLITH_ENGINE_STORE_MEMORY_FILE_SYSTEM_H_

#include <memory>
#include <string>
#include <utility>

#include "engine/store/sanitizer.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"

namespace dynolith {

// RocksDB's own, whose table files are read in place where mapped reads are asked for
// (`allow_mmap_reads`): there is nothing behind them that a cache would save from reading. Its
// sequential files cannot be read that way: RocksDB finds nothing in them.
class MemoryFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  MemoryFileSystem() : FileSystemWrapper(Files()) {}

  const char* Name() const override { return "dynolith.MemoryFileSystem"; }

  rocksdb::IOStatus NewSequentialFile(const std::string& file, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* result,
                                      rocksdb::IODebugContext* debug) override {
    rocksdb::FileOptions copied = options;
    copied.use_mmap_reads = false;
    return target()->NewSequentialFile(file, copied, result, debug);
  }
  rocksdb::IOStatus NewWritableFile(const std::string& file, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = target()->NewWritableFile(file, options, result, debug);
    if (kWatchesThreads && status.ok()) *result = std::make_unique<Unwatched>(std::move(*result));
    return status;
  }

 private:
  // Threads of RocksDB's write to a manifest one after the other; that they wait for each other
  // ThreadSanitizer cannot see, and the file is a std::string.
  class Unwatched final : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
      const UnwatchedScope unwatched;
      return FSWritableFileOwnerWrapper::Append(data, options, debug);
    }
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             const rocksdb::DataVerificationInfo& verification,
                             rocksdb::IODebugContext* debug) override {
      const UnwatchedScope unwatched;
      return FSWritableFileOwnerWrapper::Append(data, options, verification, debug);
    }
  };

  static std::shared_ptr<rocksdb::FileSystem> Files() {
    const std::unique_ptr<rocksdb::Env> memory(rocksdb::NewMemEnv(rocksdb::Env::Default()));
    return memory->GetFileSystem();
  }
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_MEMORY_FILE_SYSTEM_H_
