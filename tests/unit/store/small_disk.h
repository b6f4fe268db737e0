// A disk of so many bytes, on the machine's own: whatever does not fit is answered as a full disk
// answers, after the part that fits.
#ifndef DYNOLITH_TESTS_UNIT_STORE_SMALL_DISK_H_
#define DYNOLITH_TESTS_UNIT_STORE_SMALL_DISK_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "rocksdb/file_system.h"

namespace dynolith::testing {

class SmallDisk final : public rocksdb::FileSystemWrapper {
 public:
  SmallDisk() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  const char* Name() const override { return "dynolith.SmallDisk"; }

  // From now on `bytes` more fit on it.
  void LeaveBytes(int64_t bytes) {
    const std::lock_guard lock(mutex_);
    left_ = bytes;
    gives_back_ = true;
  }
  // From now on nothing fits on it, whatever is deleted.
  void LeaveNothing() {
    const std::lock_guard lock(mutex_);
    left_ = 0;
    gives_back_ = false;
  }
  void AddBytes(int64_t bytes) {
    const std::lock_guard lock(mutex_);
    left_ += bytes;
  }
  void MakeRoom() { LeaveBytes(std::numeric_limits<int64_t>::max() / 2); }
  int64_t left() {
    const std::lock_guard lock(mutex_);
    return left_;
  }
  // How often it had no room.
  int refusals() {
    const std::lock_guard lock(mutex_);
    return refusals_;
  }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = target()->NewWritableFile(name, options, result, debug);
    if (status.ok()) *result = std::make_unique<File>(std::move(*result), name, this);
    return status;
  }
  rocksdb::IOStatus ReopenWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* result,
                                       rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = target()->ReopenWritableFile(name, options, result, debug);
    if (status.ok()) *result = std::make_unique<File>(std::move(*result), name, this);
    return status;
  }
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override {
    {
      const std::lock_guard lock(mutex_);
      if (gives_back_) left_ += used_[name];
      used_.erase(name);
    }
    return target()->DeleteFile(name, options, debug);
  }
  rocksdb::IOStatus GetFreeSpace(const std::string&, const rocksdb::IOOptions&, uint64_t* bytes,
                                 rocksdb::IODebugContext*) override {
    const std::lock_guard lock(mutex_);
    *bytes = static_cast<uint64_t>(std::max<int64_t>(left_, 0));
    return rocksdb::IOStatus::OK();
  }

 private:
  // How many of `bytes` fit.
  size_t Take(const std::string& name, size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto taken = std::clamp<int64_t>(left_, 0, static_cast<int64_t>(bytes));
    left_ -= taken;
    used_[name] += taken;
    if (static_cast<size_t>(taken) < bytes) ++refusals_;
    return static_cast<size_t>(taken);
  }

  class File final : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    File(std::unique_ptr<rocksdb::FSWritableFile> file, std::string name, SmallDisk* disk)
        : FSWritableFileOwnerWrapper(std::move(file)), name_(std::move(name)), disk_(disk) {}

    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
      const size_t taken = disk_->Take(name_, data.size());
      rocksdb::IOStatus status =
          FSWritableFileOwnerWrapper::Append({data.data(), taken}, options, debug);
      if (!status.ok() || taken == data.size()) return status;
      status = rocksdb::IOStatus::NoSpace(name_, "no room");
      status.SetRetryable(true);
      return status;
    }
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             const rocksdb::DataVerificationInfo&,
                             rocksdb::IODebugContext* debug) override {
      return Append(data, options, debug);
    }

   private:
    const std::string name_;
    SmallDisk* const disk_;
  };

  std::mutex mutex_;
  int64_t left_ = std::numeric_limits<int64_t>::max() / 2;
  bool gives_back_ = true;  // what a deleted file took
  std::map<std::string, int64_t> used_;
  int refusals_ = 0;
};

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_STORE_SMALL_DISK_H_
