// A file system that stops writing: after a number of writes and syncs every further one fails, as
// on a full or broken disk, until it is healed.
#ifndef DYNOLITH_TESTS_UNIT_STORE_FAULT_FILE_SYSTEM_H_
#define DYNOLITH_TESTS_UNIT_STORE_FAULT_FILE_SYSTEM_H_

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "rocksdb/file_system.h"

namespace dynolith::testing {

class FaultFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  FaultFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  const char* Name() const override { return "dynolith.FaultFileSystem"; }

  // The next `operations` writes and syncs succeed, those after them fail.
  void FailAfter(int64_t operations) { left_ = operations; }
  void Heal() { left_ = std::numeric_limits<int64_t>::max(); }
  // Whether any operation has failed since the last FailAfter.
  bool has_failed() const { return left_ < 0; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override {
    if (rocksdb::IOStatus status = Operate(); !status.ok()) return status;
    std::unique_ptr<rocksdb::FSWritableFile> file;
    rocksdb::IOStatus status = target()->NewWritableFile(name, options, &file, debug);
    if (status.ok()) *result = std::make_unique<File>(std::move(file), this);
    return status;
  }

 private:
  // Counts one write or sync.
  rocksdb::IOStatus Operate() {
    if (left_.fetch_sub(1) > 0) return rocksdb::IOStatus::OK();
    return rocksdb::IOStatus::IOError("injected fault");
  }

  class File final : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    File(std::unique_ptr<rocksdb::FSWritableFile> file, FaultFileSystem* owner)
        : FSWritableFileOwnerWrapper(std::move(file)), owner_(owner) {}

    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
      rocksdb::IOStatus status = owner_->Operate();
      return status.ok() ? FSWritableFileOwnerWrapper::Append(data, options, debug) : status;
    }
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             const rocksdb::DataVerificationInfo& verification,
                             rocksdb::IODebugContext* debug) override {
      rocksdb::IOStatus status = owner_->Operate();
      return status.ok() ? FSWritableFileOwnerWrapper::Append(data, options, verification, debug)
                         : status;
    }
    rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
      rocksdb::IOStatus status = owner_->Operate();
      return status.ok() ? FSWritableFileOwnerWrapper::Sync(options, debug) : status;
    }
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                            rocksdb::IODebugContext* debug) override {
      rocksdb::IOStatus status = owner_->Operate();
      return status.ok() ? FSWritableFileOwnerWrapper::Fsync(options, debug) : status;
    }

   private:
    FaultFileSystem* const owner_;
  };

  std::atomic<int64_t> left_ = std::numeric_limits<int64_t>::max();
};

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_STORE_FAULT_FILE_SYSTEM_H_
