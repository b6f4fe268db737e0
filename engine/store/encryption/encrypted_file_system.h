// RocksDB's files, encrypted: what is written through this file system is read through it again,
// and all lengths are those of the text. file_format.h has the bytes. Private to engine/store:
// includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_ENCRYPTION_ENCRYPTED_FILE_SYSTEM_H_
#define DYNOLITH_ENGINE_STORE_ENCRYPTION_ENCRYPTED_FILE_SYSTEM_H_

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "engine/store/encryption/store_keys.h"
#include "rocksdb/env.h"
#include "rocksdb/file_system.h"

namespace dynolith {

// Logs and manifests (and IDENTITY), which grow and are synced in between, are files of kind 2; all
// others are written once, and are of kind 1. An altered file is Corruption with its name. Links,
// renames and deletions are the target's: a file stays as it is under another name. Thread-safe.
class EncryptedFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  EncryptedFileSystem(const std::shared_ptr<rocksdb::FileSystem>& target,
                      std::shared_ptr<const StoreKeys> keys)
      : FileSystemWrapper(target), keys_(std::move(keys)) {}

  const char* Name() const override { return "dynolith.EncryptedFileSystem"; }

  rocksdb::IOStatus NewSequentialFile(const std::string& file, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* result,
                                      rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewRandomAccessFile(const std::string& file,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                                        rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewWritableFile(const std::string& file, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override;
  // A file of kind 1 can only be synced.
  rocksdb::IOStatus ReopenWritableFile(const std::string& file, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* result,
                                       rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus GetFileSize(const std::string& file, const rocksdb::IOOptions& options,
                                uint64_t* bytes, rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus GetChildrenFileAttributes(const std::string& folder,
                                              const rocksdb::IOOptions& options,
                                              std::vector<rocksdb::FileAttributes>* result,
                                              rocksdb::IODebugContext* debug) override {
    // Each by GetFileSize, and not as the target says.
    // NOLINTNEXTLINE(bugprone-parent-virtual-call)
    return FileSystem::GetChildrenFileAttributes(folder, options, result, debug);
  }

  // What would write beside the format; the store asks for none of it.
  rocksdb::IOStatus ReuseWritableFile(const std::string& file, const std::string&,
                                      const rocksdb::FileOptions&,
                                      std::unique_ptr<rocksdb::FSWritableFile>*,
                                      rocksdb::IODebugContext*) override {
    return rocksdb::IOStatus::NotSupported(file);
  }
  rocksdb::IOStatus NewRandomRWFile(const std::string& file, const rocksdb::FileOptions&,
                                    std::unique_ptr<rocksdb::FSRandomRWFile>*,
                                    rocksdb::IODebugContext*) override {
    return rocksdb::IOStatus::NotSupported(file);
  }
  rocksdb::IOStatus NewMemoryMappedFileBuffer(
      const std::string& file, std::unique_ptr<rocksdb::MemoryMappedFileBuffer>*) override {
    return rocksdb::IOStatus::NotSupported(file);
  }
  rocksdb::IOStatus Truncate(const std::string& file, size_t, const rocksdb::IOOptions&,
                             rocksdb::IODebugContext*) override {
    return rocksdb::IOStatus::NotSupported(file);
  }

 private:
  using Length = std::shared_ptr<std::atomic<uint64_t>>;
  // Of a file that is being written: to look through it for each question would take long.
  Length NoteLength(const std::string& file, uint64_t bytes) ABSL_LOCKS_EXCLUDED(mutex_);

  const std::shared_ptr<const StoreKeys> keys_;
  absl::Mutex mutex_;
  std::map<std::string, std::weak_ptr<std::atomic<uint64_t>>> lengths_ ABSL_GUARDED_BY(mutex_);
};

// To read files of a store by these keys on the machine's file system; nullptr if `keys` is.
std::unique_ptr<rocksdb::Env> EnvToRead(const std::shared_ptr<const StoreKeys>& keys);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_ENCRYPTION_ENCRYPTED_FILE_SYSTEM_H_
