#include "tools/backup/backup_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>

#include "absl/strings/str_split.h"
#include "engine/base/errno_status.h"
#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/backup/messages.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "DYNOLITH-BACKUP";
constexpr std::string_view kMarkTemporary = "DYNOLITH-BACKUP.new";
constexpr std::string_view kMarkMagic = "dynolith backup ";
constexpr std::string_view kMarkFirstVersion = "dynolith backup 1\n";
constexpr std::string_view kMarkEnd = "end ";
constexpr std::string_view kMarkVersion = "dynolith backup 2\n";
constexpr std::string_view kSnapshots = "snapshots";
constexpr std::string_view kFiles = "files";
constexpr std::string_view kIncoming = "incoming";
constexpr std::string_view kTableFileSuffix = ".sst";

absl::Status Unwritten(const std::string& path, const std::error_code& error) {
  return ErrnoStatus(error.value(), messages::BackupFileUnwritten(path, error.message()));
}

absl::StatusOr<std::vector<std::string>> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    names.push_back(it->path().filename().string());
  }
  if (error) {
    return ErrnoStatus(error.value(), messages::BackupFileUnread(folder, error.message()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The names of the backups that the folder must have; version 1 of the mark does not record them.
absl::StatusOr<std::vector<std::string>> ReadMark(const std::string& path) {
  const std::string file = Concat(path, "/", kMark);
  if (!MayBeThere(file)) {
    return absl::NotFoundError(messages::BackupFolderMissing(path, kMark));
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::string text, ReadTextFile(file));
  if (text == kMarkFirstVersion) return std::vector<std::string>();
  if (text.starts_with(kMarkVersion)) {
    const size_t end = std::min(text.rfind(kMarkEnd), text.size());
    const std::string_view covered = std::string_view(text).substr(0, end);
    if (text.substr(end) != Concat(kMarkEnd, Sha256OfText(covered), "\n")) {
      return absl::DataLossError(messages::BackupFolderUnreadable(file));
    }
    const std::string_view names = covered.substr(kMarkVersion.size());
    return std::vector<std::string>(absl::StrSplit(ToAbsl(names), '\n', absl::SkipEmpty()));
  }
  if (!text.starts_with(kMarkMagic) || !text.ends_with('\n')) {
    return absl::DataLossError(messages::BackupFolderUnreadable(file));
  }
  return absl::FailedPreconditionError(messages::BackupFolderNewer(file));
}

absl::Status PlaceMark(const std::string& path, const std::vector<std::string>& names) {
  std::string text(kMarkVersion);
  for (const std::string& name : names) text += Concat(name, "\n");
  text += Concat(kMarkEnd, Sha256OfText(text), "\n");
  return PlaceTextFile(Concat(path, "/", kMarkTemporary), Concat(path, "/", kMark), text);
}

// Makes a new or empty folder a backup folder.
absl::Status Mark(const std::string& path) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(path));
  for (const std::string& name : names) {
    // mkfs creates the first in a fresh volume; a crash while the mark is written leaves the
    // second.
    if (name == "lost+found" || name == kMarkTemporary) continue;
    return absl::FailedPreconditionError(messages::BackupFolderForeign(Concat(path, "/", name)));
  }
  return PlaceMark(path, {});
}

absl::Status MakeEmptyFolder(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (!error) fs::create_directory(path, error);
  return error ? Unwritten(path, error) : absl::OkStatus();
}

}  // namespace

std::string BackupFolder::In(std::string_view folder, std::string_view name) const {
  return Concat(path_, "/", folder, "/", name);
}

absl::StatusOr<BackupFolder> BackupFolder::OpenToWrite(const std::string& path) {
  DYNOLITH_RETURN_IF_ERROR(MakeFolders(path));
  DYNOLITH_ASSIGN_OR_RETURN(FolderHold hold, FolderHold::Take(path, FolderHold::Kind::kExclusive,
                                                              messages::BackupFolderHeld(path)));
  const absl::Status mark = ReadMark(path).status();
  if (absl::IsNotFound(mark)) {
    DYNOLITH_RETURN_IF_ERROR(Mark(path));
  } else {
    DYNOLITH_RETURN_IF_ERROR(mark);
  }
  BackupFolder folder(path, std::move(hold));
  std::error_code error;
  for (const std::string_view name : {kSnapshots, kFiles}) {
    const std::string part = Concat(path, "/", name);
    fs::create_directory(part, error);
    if (error) return Unwritten(part, error);
  }
  DYNOLITH_RETURN_IF_ERROR(MakeEmptyFolder(Concat(path, "/", kIncoming)));
  DYNOLITH_RETURN_IF_ERROR(SyncFolder(path));
  return folder;
}

absl::StatusOr<BackupFolder> BackupFolder::OpenToRead(const std::string& path) {
  DYNOLITH_RETURN_IF_ERROR(ReadMark(path).status());
  DYNOLITH_ASSIGN_OR_RETURN(FolderHold hold, FolderHold::Take(path, FolderHold::Kind::kShared,
                                                              messages::BackupFolderHeld(path)));
  return BackupFolder(path, std::move(hold));
}

absl::StatusOr<std::vector<std::string>> BackupFolder::List() const {
  const std::string folder = Concat(path_, "/", kSnapshots);
  if (!MayBeThere(folder)) return std::vector<std::string>();
  DYNOLITH_ASSIGN_OR_RETURN(std::vector<std::string> names, NamesIn(folder));
  std::erase_if(names, [](const std::string& name) { return !SnapshotNumber(name); });
  std::sort(names.begin(), names.end(), [](const std::string& one, const std::string& other) {
    return SnapshotNumber(one) < SnapshotNumber(other);
  });
  return names;
}

absl::StatusOr<std::vector<std::string>> BackupFolder::Missing() const {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> named, ReadMark(path_));
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> names, List());
  std::vector<std::string> missing;
  for (const std::string& name : named) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    missing.push_back(name);
  }
  return missing;
}

absl::Status BackupFolder::MissingError(const std::string& name) const {
  return absl::DataLossError(messages::BackupSnapshotMissing(In(kSnapshots, name)));
}

absl::StatusOr<StoreSnapshot> BackupFolder::Read(const std::string& name) const {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> names, List());
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    return absl::NotFoundError(messages::BackupNoSuchSnapshot(path_, name));
  }
  const std::string file = In(kSnapshots, name);
  DYNOLITH_ASSIGN_OR_RETURN(const std::string text, ReadTextFile(file));
  return ParseSnapshot(file, text);
}

std::string BackupFolder::FilePath(const SnapshotFile& file) const {
  return In(kFiles, file.sha256);
}

absl::Status BackupFolder::CheckLength(const SnapshotFile& file) const {
  std::error_code error;
  const std::string path = FilePath(file);
  const uint64_t bytes = fs::file_size(path, error);
  if (error) return absl::DataLossError(messages::BackupFileMissing(path, file.name));
  if (bytes == file.bytes) return absl::OkStatus();
  return absl::DataLossError(messages::BackupFileCut(path, file.name, bytes, file.bytes));
}

std::optional<StoreSnapshot> BackupFolder::LastReadable() const {
  const absl::StatusOr<std::vector<std::string>> names = List();
  if (!names.ok()) return std::nullopt;
  for (auto name = names->rbegin(); name != names->rend(); ++name) {
    absl::StatusOr<StoreSnapshot> snapshot = Read(*name);
    if (snapshot.ok()) return *std::move(snapshot);
  }
  return std::nullopt;
}

absl::Status BackupFolder::CheckStore(const std::string& store) const {
  const std::optional<StoreSnapshot> last = LastReadable();
  if (!last || last->store == store) return absl::OkStatus();
  return absl::FailedPreconditionError(messages::BackupOfOtherStore(path_, last->store, store));
}

std::optional<SnapshotFile> BackupFolder::Unchanged(const SnapshotFile& file) const {
  if (!last_) return std::nullopt;
  for (const SnapshotFile& known : last_->files) {
    const bool is_same =
        known.name == file.name && known.bytes == file.bytes && known.origin == file.origin;
    // A missing or truncated file is stored again, which repairs every backup that names it.
    if (is_same && CheckLength(known).ok()) return known;
  }
  return std::nullopt;
}

absl::StatusOr<bool> BackupFolder::Take(const std::string& from, bool links, SnapshotFile* file) {
  const bool is_table_file = file->name.ends_with(kTableFileSuffix);
  // RocksDB appends to other files, so the content may differ though name and origin are the same.
  if (is_table_file) {
    if (const auto known = Unchanged(*file)) {
      file->sha256 = known->sha256;
      return false;
    }
  }
  const std::string incoming = In(kIncoming, file->name);
  FileDigest digest;
  const bool is_linked =
      links && is_table_file &&
      linkat(AT_FDCWD, from.c_str(), AT_FDCWD, incoming.c_str(), AT_SYMLINK_FOLLOW) == 0;
  if (is_linked) {
    DYNOLITH_ASSIGN_OR_RETURN(digest, DigestFile(incoming));
  } else {
    DYNOLITH_ASSIGN_OR_RETURN(digest, CopyAndDigest(from, incoming));
  }
  file->sha256 = digest.sha256;
  file->bytes = digest.bytes;
  if (CheckLength(*file).ok()) return false;
  std::error_code error;
  fs::rename(incoming, FilePath(*file), error);
  if (error) return Unwritten(FilePath(*file), error);
  return true;
}

absl::StatusOr<AddedSnapshot> BackupFolder::Add(const std::string& checkpoint,
                                                const AddOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(std::vector<std::string> names, List());
  last_ = LastReadable();
  const uint64_t number = names.empty() ? 1 : SnapshotNumber(names.back()).value_or(0) + 1;
  AddedSnapshot added{.name = SnapshotName(number, options.now)};
  StoreSnapshot snapshot{.name = added.name, .store = options.store};
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> store_files, NamesIn(checkpoint));
  for (const std::string& name : store_files) {
    const std::string from = Concat(checkpoint, "/", name);
    DYNOLITH_ASSIGN_OR_RETURN(SnapshotFile file, LookAt(from, name));
    DYNOLITH_ASSIGN_OR_RETURN(const bool is_new, Take(from, options.links, &file));
    if (is_new) {
      ++added.new_files;
      added.new_bytes += file.bytes;
    }
    snapshot.files.push_back(std::move(file));
  }
  added.files = snapshot.files.size();
  added.bytes = snapshot.bytes();
  DYNOLITH_RETURN_IF_ERROR(SyncFolder(Concat(path_, "/", kFiles)));
  DYNOLITH_RETURN_IF_ERROR(
      PlaceTextFile(In(kIncoming, added.name), In(kSnapshots, added.name), SnapshotText(snapshot)));
  names.push_back(added.name);
  DYNOLITH_RETURN_IF_ERROR(PlaceMark(path_, names));
  return added;
}

absl::StatusOr<std::vector<std::string>> BackupFolder::Prune(std::optional<size_t> keep) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> names, List());
  const size_t kept = std::min(keep.value_or(names.size()), names.size());
  const auto first_kept = names.end() - static_cast<ptrdiff_t>(kept);
  std::set<std::string> named;
  for (auto name = first_kept; name != names.end(); ++name) {
    DYNOLITH_ASSIGN_OR_RETURN(const StoreSnapshot snapshot, Read(*name));
    for (const SnapshotFile& file : snapshot.files) named.insert(file.sha256);
  }
  std::error_code error;
  std::vector<std::string> removed(names.begin(), first_kept);
  DYNOLITH_RETURN_IF_ERROR(PlaceMark(path_, {first_kept, names.end()}));
  for (const std::string& name : removed) {
    fs::remove(In(kSnapshots, name), error);
    if (error) return Unwritten(In(kSnapshots, name), error);
  }
  // Otherwise a removed backup could reappear after a power loss, with its files missing.
  DYNOLITH_RETURN_IF_ERROR(SyncFolder(Concat(path_, "/", kSnapshots)));
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> files,
                            NamesIn(Concat(path_, "/", kFiles)));
  for (const std::string& file : files) {
    if (named.contains(file)) continue;
    fs::remove(In(kFiles, file), error);
    if (error) return Unwritten(In(kFiles, file), error);
  }
  DYNOLITH_RETURN_IF_ERROR(MakeEmptyFolder(Concat(path_, "/", kIncoming)));
  return removed;
}

}  // namespace dynolith
