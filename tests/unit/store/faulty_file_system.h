// A file system that fails the n-th operation of a kind, as a full or a broken disk would.
#ifndef DYNOLITH_TESTS_UNIT_STORE_FAULTY_FILE_SYSTEM_H_
#define DYNOLITH_TESTS_UNIT_STORE_FAULTY_FILE_SYSTEM_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "rocksdb/file_system.h"

namespace dynolith::testing {

enum class DiskOperation : uint8_t {
  kAppend,
  kSync,
  kSyncFolder,
  kCreate,
  kRename,
  kDelete,
  kTruncate,
  kRead
};
inline constexpr std::string_view kDiskOperations[] = {"append", "sync",   "sync_folder", "create",
                                                       "rename", "delete", "truncate",    "read"};

struct DiskFault {
  std::optional<DiskOperation> operation;  // nullopt: any but reads
  int at = 0;                              // which one of its kind, from 0
  bool is_full = false;
  bool stays = false;
  // How many bytes of a failing append are written all the same.
  size_t written_bytes = 0;
};

class FaultyFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  // Syncs are counted, not done.
  FaultyFileSystem() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  const char* Name() const override { return "dynolith.FaultyFileSystem"; }

  void Set(const DiskFault& fault) {
    fault_ = fault;
    is_on_ = true;
  }
  void Heal() { is_on_ = false; }
  int count(DiskOperation operation) const { return counts_[static_cast<size_t>(operation)]; }
  // Of all that are no reads.
  int changes() const { return changes_; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override {
    if (rocksdb::IOStatus failed = Operate(DiskOperation::kCreate); !failed.ok()) return failed;
    rocksdb::IOStatus status = target()->NewWritableFile(name, options, result, debug);
    if (status.ok()) *result = std::make_unique<WritableFile>(std::move(*result), this);
    return status;
  }
  rocksdb::IOStatus ReopenWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* result,
                                       rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = target()->ReopenWritableFile(name, options, result, debug);
    if (status.ok()) *result = std::make_unique<WritableFile>(std::move(*result), this);
    return status;
  }
  rocksdb::IOStatus NewSequentialFile(const std::string& name, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* result,
                                      rocksdb::IODebugContext* debug) override {
    if (rocksdb::IOStatus failed = Operate(DiskOperation::kRead); !failed.ok()) return failed;
    return target()->NewSequentialFile(name, options, result, debug);
  }
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                                        rocksdb::IODebugContext* debug) override {
    if (rocksdb::IOStatus failed = Operate(DiskOperation::kRead); !failed.ok()) return failed;
    rocksdb::IOStatus status = target()->NewRandomAccessFile(name, options, result, debug);
    if (status.ok()) *result = std::make_unique<RandomAccessFile>(std::move(*result), this);
    return status;
  }
  rocksdb::IOStatus NewDirectory(const std::string& name, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* result,
                                 rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = target()->NewDirectory(name, options, result, debug);
    if (status.ok()) *result = std::make_unique<Directory>(std::move(*result), this);
    return status;
  }
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus failed = Operate(DiskOperation::kRename);
    return failed.ok() ? target()->RenameFile(from, to, options, debug) : failed;
  }
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus failed = Operate(DiskOperation::kDelete);
    return failed.ok() ? target()->DeleteFile(name, options, debug) : failed;
  }

 private:
  rocksdb::IOStatus Operate(DiskOperation operation) {
    int i = counts_[static_cast<size_t>(operation)].fetch_add(1);
    const int change = operation == DiskOperation::kRead ? -1 : changes_.fetch_add(1);
    if (!is_on_ || operation != fault_.operation.value_or(operation)) {
      return rocksdb::IOStatus::OK();
    }
    if (!fault_.operation) i = change;
    if (i != fault_.at && !(fault_.stays && i > fault_.at)) return rocksdb::IOStatus::OK();
    if (!fault_.is_full) return rocksdb::IOStatus::IOError("injected", "input/output error");
    rocksdb::IOStatus full = rocksdb::IOStatus::NoSpace("injected", "no room");
    full.SetRetryable(true);
    return full;
  }

  class WritableFile final : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    WritableFile(std::unique_ptr<rocksdb::FSWritableFile> file, FaultyFileSystem* owner)
        : FSWritableFileOwnerWrapper(std::move(file)), owner_(owner) {}

    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
      rocksdb::IOStatus failed = owner_->Operate(DiskOperation::kAppend);
      if (failed.ok()) return FSWritableFileOwnerWrapper::Append(data, options, debug);
      const size_t written = std::min(owner_->fault_.written_bytes, data.size());
      FSWritableFileOwnerWrapper::Append({data.data(), written}, options, debug)
          .PermitUncheckedError();
      return failed;
    }
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             const rocksdb::DataVerificationInfo&,
                             rocksdb::IODebugContext* debug) override {
      return Append(data, options, debug);
    }
    rocksdb::IOStatus Truncate(uint64_t bytes, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override {
      rocksdb::IOStatus failed = owner_->Operate(DiskOperation::kTruncate);
      return failed.ok() ? FSWritableFileOwnerWrapper::Truncate(bytes, options, debug) : failed;
    }
    rocksdb::IOStatus Sync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
      return owner_->Operate(DiskOperation::kSync);
    }
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
      return owner_->Operate(DiskOperation::kSync);
    }

   private:
    FaultyFileSystem* const owner_;
  };

  class RandomAccessFile final : public rocksdb::FSRandomAccessFileOwnerWrapper {
   public:
    RandomAccessFile(std::unique_ptr<rocksdb::FSRandomAccessFile> file, FaultyFileSystem* owner)
        : FSRandomAccessFileOwnerWrapper(std::move(file)), owner_(owner) {}
    rocksdb::IOStatus Read(uint64_t offset, size_t bytes, const rocksdb::IOOptions& options,
                           rocksdb::Slice* result, char* scratch,
                           rocksdb::IODebugContext* debug) const override {
      rocksdb::IOStatus failed = owner_->Operate(DiskOperation::kRead);
      if (!failed.ok()) return failed;
      return FSRandomAccessFileOwnerWrapper::Read(offset, bytes, options, result, scratch, debug);
    }

   private:
    FaultyFileSystem* const owner_;
  };

  class Directory final : public rocksdb::FSDirectoryWrapper {
   public:
    Directory(std::unique_ptr<rocksdb::FSDirectory>&& folder, FaultyFileSystem* owner)
        : FSDirectoryWrapper(std::move(folder)), owner_(owner) {}
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
      return owner_->Operate(DiskOperation::kSyncFolder);
    }
    rocksdb::IOStatus FsyncWithDirOptions(const rocksdb::IOOptions&, rocksdb::IODebugContext*,
                                          const rocksdb::DirFsyncOptions&) override {
      return owner_->Operate(DiskOperation::kSyncFolder);
    }

   private:
    FaultyFileSystem* const owner_;
  };

  // Written before it is on, or while nobody operates.
  DiskFault fault_;
  std::atomic<bool> is_on_ = false;
  std::array<std::atomic<int>, std::size(kDiskOperations)> counts_ = {};
  std::atomic<int> changes_ = 0;
};

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_STORE_FAULTY_FILE_SYSTEM_H_
