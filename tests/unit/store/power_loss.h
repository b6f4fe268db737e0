// A disk whose power goes: at a chosen operation the folder is kept as it could be found then. What
// was not synced is lost, there, or partly there, block by block; so are files that came or went
// while their folder was not synced.
#ifndef DYNOLITH_TESTS_UNIT_STORE_POWER_LOSS_H_
#define DYNOLITH_TESTS_UNIT_STORE_POWER_LOSS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "engine/store/integrity_manifest.h"
#include "rocksdb/file_system.h"
#include "tests/unit/store/store_images.h"

namespace dynolith::testing {

// DYNOLITH and the syncs of logs that it stands for do not come by here: it is taken as it is, and
// the logs that it names as synced up to the lengths that it says.
class PowerLossFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  PowerLossFileSystem(std::string folder, std::string image)
      : FileSystemWrapper(rocksdb::FileSystem::Default()),
        folder_(std::move(folder)),
        image_(std::move(image)) {}

  const char* Name() const override { return "dynolith.PowerLossFileSystem"; }

  // The power goes before the operation of this number, from 0; `seed` chooses what is left.
  void LoseAt(int operation, uint32_t seed) {
    const std::lock_guard lock(mutex_);
    lose_at_ = operation;
    seed_ = seed;
  }
  int operations() const { return operations_; }
  bool is_lost() {
    const std::lock_guard lock(mutex_);
    return is_lost_;
  }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override {
    const std::lock_guard lock(mutex_);
    Operate();
    rocksdb::IOStatus status = target()->NewWritableFile(name, options, result, debug);
    if (!status.ok()) return status;
    *result = std::make_unique<WritableFile>(std::move(*result), name, this);
    synced_bytes_[name] = 0;
    changed_.emplace(name, std::nullopt);
    return status;
  }
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override {
    const std::lock_guard lock(mutex_);
    Operate();
    KeepOld(to);
    changed_.erase(from);
    synced_bytes_[to] = synced_bytes_[from];
    synced_bytes_.erase(from);
    return target()->RenameFile(from, to, options, debug);
  }
  rocksdb::IOStatus LinkFile(const std::string& from, const std::string& to,
                             const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
    const std::lock_guard lock(mutex_);
    Operate();
    KeepOld(to);
    synced_bytes_[to] = synced_bytes_[from];
    return target()->LinkFile(from, to, options, debug);
  }
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override {
    const std::lock_guard lock(mutex_);
    Operate();
    KeepOld(name);
    return target()->DeleteFile(name, options, debug);
  }
  rocksdb::IOStatus NewDirectory(const std::string& name, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* result,
                                 rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = target()->NewDirectory(name, options, result, debug);
    if (status.ok()) *result = std::make_unique<Directory>(std::move(*result), this);
    return status;
  }

 private:
  // The name may stand for what it was before until the folder is synced.
  void KeepOld(const std::string& name) {
    if (changed_.contains(name) || !std::filesystem::exists(name)) {
      changed_.emplace(name, std::nullopt);
    } else {
      changed_.emplace(name, ReadFile(name));
    }
  }

  // What comes after the loss happens, but not in the image.
  void Operate() {
    if (operations_++ != lose_at_) return;
    is_lost_ = true;
    Leave();
  }

  void Leave() {
    namespace fs = std::filesystem;
    std::mt19937 random(seed_);
    CopyStore(folder_, image_, /*is_original=*/true);
    TakeSyncedLogs();
    for (const auto& [name, bytes] : synced_bytes_) {
      const fs::path file = image_ / fs::path(name).filename();
      if (fs::exists(file)) LoseBytes(file, bytes, &random);
    }
    for (const auto& [name, old] : changed_) {
      const fs::path file = image_ / fs::path(name).filename();
      // Half of the times all is as it is, or as it was: what happens most.
      if (seed_ % 4 == 0 || (seed_ % 4 > 1 && random() % 2 == 0)) continue;
      if (logs_.contains(file.filename().string())) continue;
      fs::remove(file);
      if (old) WriteFile(file, *old);
    }
  }

  void TakeSyncedLogs() {
    const auto found = ReadIntegrityManifest(image_.string());
    ASSERT_TRUE(found.ok()) << found.status();
    for (const auto& [number, bytes] : found->integrity.logs) {
      const std::string name = LogName(number);
      logs_.insert(name);
      uint64_t& synced = synced_bytes_[folder_ + "/" + name];
      synced = std::max(synced, bytes);
    }
  }

  void LoseBytes(const std::filesystem::path& file, uint64_t synced_bytes,
                 std::mt19937* random) const {
    constexpr uint64_t kBlock = 4096;
    std::string bytes = ReadFile(file);
    if (seed_ % 4 == 0 || bytes.size() <= synced_bytes) return;
    if (seed_ % 4 == 1) {
      bytes.resize(synced_bytes);
    } else {
      bytes.resize(synced_bytes + (*random)() % (bytes.size() - synced_bytes + 1));
      for (uint64_t at = synced_bytes; at < bytes.size();) {
        const uint64_t end = std::min<uint64_t>(bytes.size(), (at / kBlock + 1) * kBlock);
        if (seed_ % 4 == 3 && (*random)() % 2 == 0) {
          std::fill(bytes.begin() + static_cast<ptrdiff_t>(at),
                    bytes.begin() + static_cast<ptrdiff_t>(end), '\0');
        }
        at = end;
      }
    }
    WriteFile(file, bytes);
  }

  class WritableFile final : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    WritableFile(std::unique_ptr<rocksdb::FSWritableFile> file, std::string name,
                 PowerLossFileSystem* owner)
        : FSWritableFileOwnerWrapper(std::move(file)), name_(std::move(name)), owner_(owner) {}

    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
      const std::lock_guard lock(owner_->mutex_);
      owner_->Operate();
      bytes_ += data.size();
      return FSWritableFileOwnerWrapper::Append(data, options, debug);
    }
    rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                             const rocksdb::DataVerificationInfo&,
                             rocksdb::IODebugContext* debug) override {
      return Append(data, options, debug);
    }
    rocksdb::IOStatus Sync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
      const std::lock_guard lock(owner_->mutex_);
      owner_->Operate();
      owner_->synced_bytes_[name_] = bytes_;
      return rocksdb::IOStatus::OK();
    }
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                            rocksdb::IODebugContext* debug) override {
      return Sync(options, debug);
    }

   private:
    const std::string name_;
    PowerLossFileSystem* const owner_;
    uint64_t bytes_ = 0;
  };

  class Directory final : public rocksdb::FSDirectoryWrapper {
   public:
    Directory(std::unique_ptr<rocksdb::FSDirectory>&& folder, PowerLossFileSystem* owner)
        : FSDirectoryWrapper(std::move(folder)), owner_(owner) {}
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
      const std::lock_guard lock(owner_->mutex_);
      owner_->Operate();
      owner_->changed_.clear();
      return rocksdb::IOStatus::OK();
    }
    rocksdb::IOStatus FsyncWithDirOptions(const rocksdb::IOOptions& options,
                                          rocksdb::IODebugContext* debug,
                                          const rocksdb::DirFsyncOptions&) override {
      return Fsync(options, debug);
    }

   private:
    PowerLossFileSystem* const owner_;
  };

  const std::string folder_;
  const std::filesystem::path image_;
  std::mutex mutex_;
  int operations_ = 0;
  int lose_at_ = -1;
  uint32_t seed_ = 0;
  bool is_lost_ = false;
  std::map<std::string, uint64_t> synced_bytes_;
  // Of the names that have changed since the folder was synced: what they stood for, if anything.
  std::map<std::string, std::optional<std::string>> changed_;
  std::set<std::string> logs_;  // that DYNOLITH names
};

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_STORE_POWER_LOSS_H_
