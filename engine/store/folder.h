// The folder of a store as a whole: its holder, its format, whether a part is missing. RocksDB
// alone would start empty in a folder that has lost its CURRENT file.
#ifndef DYNOLITH_ENGINE_STORE_FOLDER_H_
#define DYNOLITH_ENGINE_STORE_FOLDER_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/store/encryption/store_keys.h"
#include "engine/store/folder_lock.h"
#include "engine/store/integrity_manifest.h"

namespace dynolith {

// Whether a process that was killed before it had begun a store may leave a file of that name.
bool IsLeftByKilledStart(std::string_view name);

// Fails for a pipe, a socket or a device with the name of a store's file: reading it might never
// end. kFailedPrecondition.
absl::Status CheckIsNoDevice(const std::filesystem::directory_entry& entry);

// Holds a store's folder: as long as it lives no other process can open it for writing (nor for
// reading, while it is held for writing). kReadBesideWriter holds nothing: a writer may come and
// go, and files may disappear at any moment.
class Folder {
 public:
  enum class Use : uint8_t { kWrite, kRead, kReadBesideWriter };

  // Creates the folder for kWrite, locks it, and checks that it holds a sound store (soundness.h),
  // or nothing yet. `key_source`: StoreOptions::encryption_key. Errors: those of LocalStore::Open.
  static absl::StatusOr<Folder> Open(const std::string& path, Use use,
                                     const std::string& key_source);
  // The same, for kWrite, for a folder that is held already.
  static absl::StatusOr<Folder> OpenUnder(std::shared_ptr<const FolderLock> lock,
                                          const std::string& path, const std::string& key_source);

  // Locks a folder for reading, whatever it contains. Errors: kNotFound, kUnavailable.
  static absl::StatusOr<Folder> Hold(const std::string& path);

  // The state that RocksDB will find; in the state kCreating nothing.
  const IntegrityManifest& facts() const { return facts_; }
  // nullptr: it is not encrypted.
  const std::shared_ptr<const StoreKeys>& keys() const { return keys_; }
  // The number of table files when it was opened.
  size_t table_files() const { return table_files_; }
  // Makes the parents of `path`, and removes it if it is an empty folder. Errors:
  // kFailedPrecondition if it is not empty; as Open.
  static absl::Status MakeRoomForCopy(const std::string& path);
  // Writes the integrity manifest of a fresh checkpoint in `path`; `keys`: nullptr if it is not
  // encrypted.
  static absl::Status MarkCopied(const std::string& path, const StoreKeys* keys);
  // Writes that of a store which a process writes to: for who adds to a copy's logs. Errors:
  // CheckSound's.
  static absl::Status MarkWritten(const std::string& path, const StoreKeys* keys);

 private:
  explicit Folder(std::shared_ptr<const FolderLock> lock) : lock_(std::move(lock)) {}
  // For an existing folder, which is held if necessary.
  static absl::StatusOr<Folder> Look(std::shared_ptr<const FolderLock> lock,
                                     const std::string& path, bool read_only,
                                     const std::string& key_source);

  std::shared_ptr<const FolderLock> lock_;  // nullptr: not held, or held by another object
  std::shared_ptr<const StoreKeys> keys_;
  IntegrityManifest facts_;
  size_t table_files_ = 0;
};

// Which store a folder holds: a random text that is made with the store, and stays the same through
// starts, other keys, checkpoints, backups, restores and repairs. So two folders have the same one
// if both are copies of one store, however long ago.
//
//   plain:     IDENTITY, which RocksDB leaves as it is
//   encrypted: the id in DYNOLITH.keys, whose other lines change (encryption/store_keys.h)
inline constexpr std::string_view kIdentityFile = "IDENTITY";
// What the text of one of the two files says; it is not authenticated. Empty: nothing, as after a
// loss of power that took the file's bytes. `name`: kIdentityFile or kKeysFile.
std::string IdentityIn(std::string_view name, std::string_view text);
// The store's in a folder. Empty: no store, one without its file, or a copy of an older program's.
std::string IdentityOf(const std::string& folder);

// Gives a copy of a plain store, whose files are in `to`, the identity of the one in `from`,
// durably in both; nothing if that one has none. Errors: the operating system's.
absl::Status CopyIdentity(const std::string& from, const std::string& to);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_FOLDER_H_
