// A file system whose locks belong to this process alone, also when it forks. Private to
// engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_FORKS_UNSHARED_LOCK_H_
#define DYNOLITH_ENGINE_STORE_FORKS_UNSHARED_LOCK_H_

#include <memory>
#include <string>

#include "rocksdb/env.h"
#include "rocksdb/file_system.h"

namespace dynolith {

// RocksDB remembers by name which files its process has locked, and a child inherits this memory.
// So files are locked here, against every other opening of the same file: those of this process,
// and of programs that lock as RocksDB does.
class UnsharedLocks final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;

  const char* Name() const override { return "dynolith.UnsharedLocks"; }

  // Errors: IOError that ends with the operating system's text; for a locked file, that of EAGAIN
  // if another process has locked it, of EDEADLK if this one has.
  rocksdb::IOStatus LockFile(const std::string& file, const rocksdb::IOOptions& options,
                             rocksdb::FileLock** lock, rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus UnlockFile(rocksdb::FileLock* lock, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_FORKS_UNSHARED_LOCK_H_
