// The lock on a data folder: only its exclusive holder may write there. It is on the folder, not on
// its name. To exchange two folders, hold both: then nobody else can ever lock the one that has the
// name.
#ifndef DYNOLITH_ENGINE_STORE_FOLDER_LOCK_H_
#define DYNOLITH_ENGINE_STORE_FOLDER_LOCK_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "engine/process/forked_process.h"
#include "engine/store/local_store.h"

namespace dynolith {

// Held as long as it lives, or the process does; children of the process do not hold it. By flock
// on the folder: it leaves no file behind, and where folders cannot be locked RocksDB's own lock
// file remains.
class FolderLock {
 public:
  enum class Kind : uint8_t { kShared, kExclusive };

  // Never waits. Errors: kNotFound if there is no such folder, kUnavailable if it is held; the
  // operating system's.
  static absl::StatusOr<std::shared_ptr<const FolderLock>> Take(const std::string& path, Kind kind);
  // The same, exclusive, for a folder that is made if it does not exist.
  static absl::StatusOr<std::shared_ptr<const FolderLock>> TakeNew(const std::string& path);

  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

  // Whether the path leads to the held folder.
  bool Holds(const std::string& path) const;

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}

  const MakingProcess process_{};
  const int descriptor_;
};

// As LocalStore::Open for a folder that is already held exclusively, and stays so at least as long
// as the store is open. Requires: lock->Holds(options.path), and !options.read_only.
absl::StatusOr<std::unique_ptr<LocalStore>> OpenStoreUnder(std::shared_ptr<const FolderLock> lock,
                                                           const StoreOptions& options);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_FOLDER_LOCK_H_
