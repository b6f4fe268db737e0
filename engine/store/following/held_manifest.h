// A file system in which the manifest does not grow while it is held: what follows a writer reads
// its logs to their ends first. Private to engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_FOLLOWING_HELD_MANIFEST_H_
#define DYNOLITH_ENGINE_STORE_FOLLOWING_HELD_MANIFEST_H_

#include <atomic>
#include <memory>
#include <string>

#include "rocksdb/file_system.h"

namespace dynolith {

// One thread at a time uses it, but for files other than manifests.
class HeldManifest final : public rocksdb::FileSystemWrapper {
 public:
  using FileSystemWrapper::FileSystemWrapper;

  const char* Name() const override { return "dynolith.HeldManifest"; }

  // While it is held, each open manifest ends where it has been read to.
  void Hold() { *is_held_ = true; }
  void Release() { *is_held_ = false; }
  // The path of the one that was opened last; empty: none was.
  const std::string& opened() const { return opened_; }

  rocksdb::IOStatus NewSequentialFile(const std::string& file, const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSSequentialFile>* result,
                                      rocksdb::IODebugContext* debug) override;

 private:
  const std::shared_ptr<std::atomic<bool>> is_held_ = std::make_shared<std::atomic<bool>>(false);
  std::string opened_;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_FOLLOWING_HELD_MANIFEST_H_
