#include "engine/store/integrity_file_system.h"

#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include "engine/base/crc32c.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/following/log_observer.h"
#include "engine/store/messages.h"
#include "engine/store/own_files.h"

namespace dynolith {
namespace {

bool IsManifest(std::string_view name) { return name.starts_with("MANIFEST-"); }
bool IsTableFile(std::string_view name) { return name.ends_with(kTableFileSuffix); }

rocksdb::IOStatus ToRocks(const absl::Status& status) {
  if (status.ok()) return rocksdb::IOStatus::OK();
  if (absl::IsResourceExhausted(status)) {
    return rocksdb::IOStatus::NoSpace(std::string(status.message()));
  }
  return rocksdb::IOStatus::IOError(std::string(status.message()));
}

}  // namespace

// Tracks the synced contents of a manifest.
class IntegrityFileSystem::ManifestFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  ManifestFile(std::unique_ptr<rocksdb::FSWritableFile> file, std::string_view name,
               IntegrityFileSystem* owner)
      : FSWritableFileOwnerWrapper(std::move(file)),
        owner_(owner),
        held_{.name = std::string(name)} {}

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
    return Followed(data, FSWritableFileOwnerWrapper::Append(data, options, debug));
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo& verification,
                           rocksdb::IODebugContext* debug) override {
    return Followed(data, FSWritableFileOwnerWrapper::Append(data, options, verification, debug));
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                         rocksdb::IODebugContext* debug) override {
    return Noted(FSWritableFileOwnerWrapper::Sync(options, debug));
  }
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                          rocksdb::IODebugContext* debug) override {
    return Noted(FSWritableFileOwnerWrapper::Fsync(options, debug));
  }

 private:
  rocksdb::IOStatus Followed(const rocksdb::Slice& data, rocksdb::IOStatus status) {
    if (status.ok()) {
      held_.crc = ExtendCrc32c(held_.crc, {data.data(), data.size()});
      held_.bytes += data.size();
    }
    return status;
  }
  rocksdb::IOStatus Noted(rocksdb::IOStatus status) {
    if (status.ok()) owner_->NoteManifest(held_);
    return status;
  }

  IntegrityFileSystem* const owner_;
  IntegrityManifest::RocksManifest held_;
};

IntegrityFileSystem::IntegrityFileSystem(const std::shared_ptr<rocksdb::FileSystem>& target,
                                         std::string folder, IntegrityManifest known,
                                         std::shared_ptr<const StoreKeys> keys,
                                         LogObserver* observer)
    : FileSystemWrapper(target),
      folder_(std::move(folder)),
      keys_(std::move(keys)),
      observer_(observer),
      now_(std::move(known)) {
  if (now_.state == IntegrityManifest::State::kClosed) synced_logs_ = now_.logs;
  if (now_.state != IntegrityManifest::State::kCreating)
    now_.state = IntegrityManifest::State::kRunning;
}

bool IntegrityFileSystem::IsCreating() {
  absl::MutexLock lock(&mutex_);
  return now_.state == IntegrityManifest::State::kCreating;
}

bool IntegrityFileSystem::HasEndedLogs() {
  absl::MutexLock lock(&mutex_);
  return has_ended_logs_;
}

void IntegrityFileSystem::NoteManifest(const IntegrityManifest::RocksManifest& manifest) {
  absl::MutexLock lock(&mutex_);
  for (IntegrityManifest::RocksManifest& known : now_.manifests) {
    if (known.name != manifest.name) continue;
    known = manifest;
    return;
  }
  now_.manifests.push_back(manifest);
}

void IntegrityFileSystem::Forget(std::string_view name) {
  absl::MutexLock lock(&mutex_);
  // Earlier logs are not needed either, though they may be deleted later.
  if (const auto number = LogNumber(name); number) {
    now_.logs.erase(now_.logs.begin(), now_.logs.upper_bound(*number));
  }
  if (IsManifest(name)) {
    std::erase_if(now_.manifests, [&](const auto& manifest) { return manifest.name == name; });
  }
}

bool IntegrityFileSystem::Defer(const std::string& file) {
  absl::MutexLock lock(&mutex_);
  if (!is_open_) deferred_.push_back(file);
  return !is_open_;
}

absl::Status IntegrityFileSystem::EndLogs(std::map<uint64_t, uint64_t>* logs) {
  for (auto it = logs->begin(); it != logs->end() && std::next(it) != logs->end(); ++it) {
    const std::string file = Concat(folder_, "/", LogName(it->first));
    DYNOLITH_ASSIGN_OR_RETURN(const uint64_t bytes, BytesOfFile(file));
    const auto synced = synced_logs_.find(it->first);
    if (bytes > 0 && (synced == synced_logs_.end() || synced->second != bytes)) {
      DYNOLITH_RETURN_IF_ERROR(dynolith::SyncFile(file));
    }
    it->second = synced_logs_[it->first] = bytes;
  }
  return absl::OkStatus();
}

absl::Status IntegrityFileSystem::Write(bool syncs_folder) {
  absl::MutexLock writing(&writing_mutex_);
  IntegrityManifest integrity;
  std::vector<std::string> unnamed;
  bool ends_logs = false;
  {
    absl::MutexLock lock(&mutex_);
    integrity = now_;
    ends_logs = has_ended_logs_;
    // What is deferred later may be named by this manifest.
    if (is_open_) unnamed = deferred_;
  }
  if (integrity.state == IntegrityManifest::State::kCreating) return absl::OkStatus();
  if (ends_logs) DYNOLITH_RETURN_IF_ERROR(EndLogs(&integrity.logs));
  integrity.origin = written_.origin;
  if (integrity == written_) return absl::OkStatus();
  DYNOLITH_RETURN_IF_ERROR(WriteIntegrityManifest(folder_, &integrity, syncs_folder, keys_.get()));
  DeleteDeferred(unnamed);
  absl::MutexLock lock(&mutex_);
  for (auto& [number, bytes] : now_.logs) {
    if (const auto log = integrity.logs.find(number); log != integrity.logs.end())
      bytes = log->second;
  }
  // A log that was begun meanwhile has ended another one.
  if (ends_logs && now_.logs.rbegin()->first == integrity.logs.rbegin()->first) {
    has_ended_logs_ = false;
  }
  written_ = std::move(integrity);
  return absl::OkStatus();
}

void IntegrityFileSystem::DeleteEmptyLogs() {
  std::vector<std::string> files;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [number, bytes] : now_.logs) {
      files.push_back(Concat(folder_, "/", LogName(number)));
      const absl::StatusOr<uint64_t> held = BytesOfFile(files.back());
      if (!held.ok() || *held > 0) return;
    }
  }
  for (const std::string& file : files) {
    DeleteFile(file, rocksdb::IOOptions(), nullptr).PermitUncheckedError();
  }
}

void IntegrityFileSystem::DeleteDeferred(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    {
      absl::MutexLock lock(&mutex_);
      // It may have been made again.
      if (std::erase(deferred_, file) == 0) continue;
    }
    // The next start deletes what is left.
    Delete(file, rocksdb::IOOptions(), nullptr).PermitUncheckedError();
  }
}

rocksdb::IOStatus IntegrityFileSystem::Delete(const std::string& file,
                                              const rocksdb::IOOptions& options,
                                              rocksdb::IODebugContext* debug) {
  if (observer_ != nullptr && LogNumber(NameWithin(folder_, file))) observer_->OnLogDeletion(file);
  return target()->DeleteFile(file, options, debug);
}

absl::Status IntegrityFileSystem::WriteRunning() {
  {
    absl::MutexLock lock(&mutex_);
    is_open_ = true;
    // Opening an existing store has changed CURRENT, and so has written all facts.
    if (now_.state == IntegrityManifest::State::kRunning) return absl::OkStatus();
    now_.state = IntegrityManifest::State::kRunning;
  }
  return Write();
}

absl::Status IntegrityFileSystem::WriteClosed(uint64_t sequence) {
  {
    absl::MutexLock lock(&mutex_);
    IntegrityManifest closed = now_;
    const IntegrityManifest::RocksManifest manifest = now_.manifests.back();
    const std::string file = Concat(folder_, "/", manifest.name);
    uint64_t manifest_bytes = 0;
    const bool is_known =
        target()->GetFileSize(file, rocksdb::IOOptions(), &manifest_bytes, nullptr).ok();
    // A write of the manifest has failed, so its contents are unknown.
    if (!is_known || manifest_bytes != manifest.bytes) {
      return absl::DataLossError(messages::StoreFileAltered(file));
    }
    closed.state = IntegrityManifest::State::kClosed;
    closed.manifests = {manifest};
    closed.sequence = sequence;
    for (auto& [number, bytes] : closed.logs) {
      DYNOLITH_ASSIGN_OR_RETURN(bytes, BytesOfFile(Concat(folder_, "/", LogName(number))));
    }
    now_ = std::move(closed);
  }
  return Write();
}

rocksdb::IOStatus IntegrityFileSystem::NewWritableFile(
    const std::string& file, const rocksdb::FileOptions& options,
    std::unique_ptr<rocksdb::FSWritableFile>* result, rocksdb::IODebugContext* debug) {
  const std::string_view name = NameWithin(folder_, file);
  if (IsTableFile(name) && HasEndedLogs()) {
    if (absl::Status written = Write(); !written.ok()) return ToRocks(written);
  }
  rocksdb::IOStatus status = target()->NewWritableFile(file, options, result, debug);
  if (!status.ok()) return status;
  if (IsManifest(name)) *result = std::make_unique<ManifestFile>(std::move(*result), name, this);
  absl::MutexLock lock(&mutex_);
  std::erase(deferred_, file);
  if (const auto number = LogNumber(name); number) {
    has_ended_logs_ = !now_.logs.empty();
    now_.logs[*number] = 0;
  }
  return status;
}

rocksdb::IOStatus IntegrityFileSystem::RenameFile(const std::string& from, const std::string& to,
                                                  const rocksdb::IOOptions& options,
                                                  rocksdb::IODebugContext* debug) {
  // After a loss of power, a store that was being created is created again.
  if (NameWithin(folder_, to) == "CURRENT" && !IsCreating()) {
    // RocksDB then syncs the folder itself.
    if (absl::Status written = Write(/*syncs_folder=*/false); !written.ok())
      return ToRocks(written);
    // Sync first: nothing may name a manifest that a loss of power could remove from the folder.
    std::unique_ptr<rocksdb::FSDirectory> folder;
    rocksdb::IOStatus synced = target()->NewDirectory(folder_, options, &folder, debug);
    if (synced.ok()) synced = folder->Fsync(options, debug);
    if (!synced.ok()) return synced;
  }
  return target()->RenameFile(from, to, options, debug);
}

void IntegrityFileSystem::BeginLinks() {
  absl::MutexLock lock(&mutex_);
  is_linking_ = true;
}

void IntegrityFileSystem::EndLinks(bool are_unnamed) {
  std::map<std::string, bool> links;
  {
    absl::MutexLock lock(&mutex_);
    is_linking_ = false;
    links = std::exchange(links_, {});
  }
  for (const auto& [file, is_to_go] : links) {
    if (!is_to_go || !are_unnamed) continue;
    DeleteFile(file, rocksdb::IOOptions(), nullptr).PermitUncheckedError();
  }
}

rocksdb::IOStatus IntegrityFileSystem::LinkFile(const std::string& from, const std::string& to,
                                                const rocksdb::IOOptions& options,
                                                rocksdb::IODebugContext* debug) {
  if (IsTableFile(NameWithin(folder_, to))) {
    absl::MutexLock lock(&mutex_);
    if (is_linking_) links_.emplace(to, false);
  }
  // A second name of a symbolic link would lead elsewhere, or to a file that is deleted. So it is
  // copied.
  if (std::error_code error; std::filesystem::is_symlink(from, error)) {
    return rocksdb::IOStatus::NotSupported();
  }
  return target()->LinkFile(from, to, options, debug);
}

rocksdb::IOStatus IntegrityFileSystem::DeleteFile(const std::string& file,
                                                  const rocksdb::IOOptions& options,
                                                  rocksdb::IODebugContext* debug) {
  {
    absl::MutexLock lock(&mutex_);
    if (const auto link = links_.find(file); link != links_.end()) {
      link->second = true;
      return rocksdb::IOStatus::OK();
    }
  }
  const std::string_view name = NameWithin(folder_, file);
  if (LogNumber(name) || IsManifest(name) || IsTableFile(name)) {
    Forget(name);
    if (Defer(file)) return rocksdb::IOStatus::OK();
    if (absl::Status written = Write(); !written.ok()) return ToRocks(written);
  }
  return Delete(file, options, debug);
}

}  // namespace dynolith
