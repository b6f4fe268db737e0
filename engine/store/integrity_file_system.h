// Keeps the integrity manifest of an open store up to date: follows the files that RocksDB creates
// and deletes, and writes a new manifest before RocksDB deletes a file that the old one names.
// Private to engine/store: includes RocksDB.
#ifndef DYNOLITH_ENGINE_STORE_INTEGRITY_FILE_SYSTEM_H_
#define DYNOLITH_ENGINE_STORE_INTEGRITY_FILE_SYSTEM_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "engine/store/integrity_manifest.h"
#include "rocksdb/file_system.h"

namespace dynolith {

class LogObserver;

// The integrity manifest is written
// clang-format off
//   before CURRENT names another manifest: from then on the file names both;
//   before a log, table file or manifest is deleted: what made the file superfluous is named, and
//     the file is not needed any more;
//   before a flush writes its table file, if a log was ended: the log's length is then final.
// clang-format on
// So a file that the integrity manifest names always exists, whenever the process is killed. While
// the store is being opened, nothing is deleted: deletions follow with the next integrity manifest,
// so that opening waits for one only. All of this happens in RocksDB's background threads or while
// the store is opened. Writes to logs bypass this object, so a commit costs nothing more.
// Thread-safe.
class IntegrityFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  // `known`: the facts of the store to open. In the state kCreating nothing is written before
  // WriteRunning. `keys`: of an encrypted store; nullptr: it is none. `observer`: is told of logs
  // that are about to be deleted; nullptr: nobody is.
  IntegrityFileSystem(const std::shared_ptr<rocksdb::FileSystem>& target, std::string folder,
                      IntegrityManifest known, std::shared_ptr<const StoreKeys> keys = nullptr,
                      LogObserver* observer = nullptr);

  const char* Name() const override { return "dynolith.IntegrityFileSystem"; }

  // Call before the store is opened: if all of its logs are empty, they are deleted with the next
  // integrity manifest. RocksDB 7.8 keeps them until a flush, and one more with each start.
  void DeleteEmptyLogs() ABSL_LOCKS_EXCLUDED(mutex_);

  // Call when the store is open: from now on a missing file is damage.
  absl::Status WriteRunning() ABSL_LOCKS_EXCLUDED(mutex_);
  // Call when the store is closed, with all of its logs on the disk. `sequence`: its last one.
  absl::Status WriteClosed(uint64_t sequence) ABSL_LOCKS_EXCLUDED(mutex_);

  rocksdb::IOStatus NewWritableFile(const std::string& file, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* result,
                                    rocksdb::IODebugContext* debug) override;
  // Between these two calls no table file that is linked into the folder is deleted: a manifest
  // whose write failed may still name it. `are_unnamed`: no manifest names them, so those that
  // RocksDB wanted to delete are deleted.
  void BeginLinks() ABSL_LOCKS_EXCLUDED(mutex_);
  void EndLinks(bool are_unnamed) ABSL_LOCKS_EXCLUDED(mutex_);

  rocksdb::IOStatus LinkFile(const std::string& from, const std::string& to,
                             const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& file, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;

 private:
  class ManifestFile;

  void NoteManifest(const IntegrityManifest::RocksManifest& manifest) ABSL_LOCKS_EXCLUDED(mutex_);
  bool IsCreating() ABSL_LOCKS_EXCLUDED(mutex_);
  bool HasEndedLogs() ABSL_LOCKS_EXCLUDED(mutex_);
  // Removes a file that will be deleted from the needed files.
  void Forget(std::string_view name) ABSL_LOCKS_EXCLUDED(mutex_);
  // While the store is being opened, leaves the deletion of a file to the next integrity manifest;
  // else returns false.
  bool Defer(const std::string& file) ABSL_LOCKS_EXCLUDED(mutex_);
  // Deletes files whose deletion waited for the integrity manifest that has been written.
  void DeleteDeferred(const std::vector<std::string>& files) ABSL_LOCKS_EXCLUDED(mutex_);
  // Makes every log but the last final, then writes the integrity manifest unless it is unchanged.
  absl::Status Write(bool syncs_folder = true) ABSL_LOCKS_EXCLUDED(writing_mutex_, mutex_);
  // Syncs all logs but the last one and takes their lengths.
  absl::Status EndLogs(std::map<uint64_t, uint64_t>* logs)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(writing_mutex_);

  rocksdb::IOStatus Delete(const std::string& file, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug);

  const std::string folder_;
  const std::shared_ptr<const StoreKeys> keys_;
  LogObserver* const observer_;
  // Held while writing; acquired before mutex_.
  absl::Mutex writing_mutex_;
  IntegrityManifest written_ ABSL_GUARDED_BY(writing_mutex_);
  // The synced lengths of logs.
  std::map<uint64_t, uint64_t> synced_logs_ ABSL_GUARDED_BY(writing_mutex_);
  // Never held while waiting for the disk, because a writer that begins a log acquires it.
  absl::Mutex mutex_;
  bool is_open_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_linking_ ABSL_GUARDED_BY(mutex_) = false;
  // Linked files, and whether RocksDB wanted to delete them.
  std::map<std::string, bool> links_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> deferred_ ABSL_GUARDED_BY(mutex_);
  // The contents of the next write.
  IntegrityManifest now_ ABSL_GUARDED_BY(mutex_);
  // Whether a log was begun since the lengths of the earlier ones were taken.
  bool has_ended_logs_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_INTEGRITY_FILE_SYSTEM_H_
