#include "api/database/states_folder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "api/database/messages.h"
#include "dynolith/restorable_database.h"
#include "engine/base/errno_status.h"
#include "engine/base/rename.h"
#include "engine/base/status_macros.h"
#include "engine/base/statx.h"
#include "engine/base/strings.h"
#include "engine/store/folder.h"
#include "engine/store/folder_lock.h"
#include "engine/store/integrity_manifest.h"
#include "engine/store/messages.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSnapshots = "/snapshots";
constexpr std::string_view kWork = "/work";
constexpr std::string_view kDeleted = "/deleted";
constexpr std::string_view kRemoved = ".removed-";
constexpr std::string_view kFormerSuffix = ".snapshots";
constexpr std::string_view kCheckpoint = "checkpoint";

bool Exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

absl::Status NotMoved(const std::string& to, int error) {
  return ErrnoStatus(error, messages::SnapshotNotMoved(to, ErrnoReason(error)));
}
absl::Status NotRemoved(const std::string& folder, int error) {
  return ErrnoStatus(error, messages::DatabaseNotRemoved(folder, ErrnoReason(error)));
}

absl::Status Rename(const std::string& from, const std::string& to) {
  return rename(from.c_str(), to.c_str()) == 0 ? absl::OkStatus() : NotMoved(to, errno);
}

absl::Status MakeFolder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return error ? NotMoved(folder, error.value()) : absl::OkStatus();
}

absl::Status RemoveTree(const std::string& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  return error ? NotRemoved(folder, error.value()) : absl::OkStatus();
}

// The names in a folder; none if it does not exist or its name is too long.
absl::StatusOr<std::vector<std::string>> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  if (error == std::errc::no_such_file_or_directory || error == std::errc::filename_too_long) {
    return names;
  }
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  if (error) {
    return ErrnoStatus(error.value(), messages::SnapshotsNotListed(folder, error.message()));
  }
  return names;
}

// Returns false if the operating system does not know; what then fails reports it.
bool IsMountPoint(const std::string& folder) {
  struct statx found = {};
  struct statx above = {};
  const std::string parent = Concat(folder, "/..");
  if (Statx(AT_FDCWD, folder, 0, STATX_BASIC_STATS, found) != 0) return false;
  // A part of the same file system can also be mounted; Linux reports that from 5.8 on.
  if ((found.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0) {
    return (found.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
  }
  return Statx(AT_FDCWD, parent, 0, STATX_BASIC_STATS, above) == 0 &&
         (found.stx_dev_major != above.stx_dev_major || found.stx_dev_minor != above.stx_dev_minor);
}

std::string WithoutSlashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

StatesFolder::StatesFolder(std::string given, std::string data)
    : given_(std::move(given)), data_(std::move(data)) {
  const fs::path path(data_);
  root_ = (path.parent_path() / kFolder / path.filename()).string();
}

absl::StatusOr<StatesFolder> StatesFolder::Of(const std::string& data_folder) {
  std::string given = WithoutSlashes(data_folder);
  std::error_code error;
  fs::path data = fs::weakly_canonical(given, error);
  // A path that does not exist stays as it was given.
  if (!error) data = fs::absolute(data, error);
  if (error) {
    return ErrnoStatus(error.value(), messages::StoreFolderUnread(given, error.message()));
  }
  return StatesFolder(std::move(given), WithoutSlashes(data.lexically_normal().string()));
}

bool StatesFolder::IsStore(const std::string& folder) {
  return Exists(Concat(folder, "/", kFormatFile)) || Exists(Concat(folder, "/CURRENT"));
}

std::vector<std::string> StatesFolder::SnapshotFolders() const {
  std::vector<std::string> folders = {Concat(root_, kSnapshots)};
  for (const std::string& data : {data_, given_}) {
    std::string former = Concat(data, kFormerSuffix);
    // A data folder may have this name; it is then not a folder of snapshots.
    if (!IsStore(former) && former != folders.back()) folders.push_back(std::move(former));
  }
  return folders;
}

std::string StatesFolder::FindSnapshot(std::string_view name) const {
  if (!RestorableDatabase::IsName(name)) return {};
  for (const std::string& folder : SnapshotFolders()) {
    std::string place = Concat(folder, "/", name);
    if (IsStore(place)) return place;
  }
  return {};
}

absl::StatusOr<std::vector<std::string>> StatesFolder::ListSnapshots() const {
  std::set<std::string> found;
  for (const std::string& folder : SnapshotFolders()) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(folder));
    for (const std::string& name : names) {
      if (!FindSnapshot(name).empty()) found.insert(name);
    }
  }
  return std::vector<std::string>(found.begin(), found.end());
}

absl::Status StatesFolder::PlaceSnapshot(const std::string& work, std::string_view name) const {
  const std::string folder = Concat(root_, kSnapshots);
  DYNOLITH_RETURN_IF_ERROR(MakeFolder(folder));
  const std::string place = Concat(folder, "/", name);
  // An existing snapshot of this name stays until this rename replaces it.
  const bool has_place = Exists(place);
  if (Rename(work, place, has_place ? RENAME_EXCHANGE : 0) != 0) return NotMoved(place, errno);
  if (has_place) DYNOLITH_RETURN_IF_ERROR(Discard(work));
  for (const std::string& other : SnapshotFolders()) {
    const std::string namesake = Concat(other, "/", name);
    if (other != folder && IsStore(namesake)) DYNOLITH_RETURN_IF_ERROR(Discard(namesake));
  }
  return absl::OkStatus();
}

absl::Status StatesFolder::RemoveSnapshot(std::string_view name) const {
  for (std::string place = FindSnapshot(name); !place.empty(); place = FindSnapshot(name)) {
    DYNOLITH_RETURN_IF_ERROR(Discard(place));
  }
  return absl::OkStatus();
}

absl::Status StatesFolder::CheckReplaceable() const {
  if (!IsMountPoint(data_)) return absl::OkStatus();
  return absl::FailedPreconditionError(messages::DataFolderIsMountPoint(data_));
}

absl::StatusOr<std::string> StatesFolder::NewWork() const {
  static std::atomic<uint64_t> last = 0;
  const std::string folder = Concat(root_, kWork);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return ErrnoStatus(error.value(), messages::StatesNotKept(data_, folder, error.message()));
  }
  for (;;) {
    std::string work = Concat(folder, "/", ++last);
    if (!Exists(work)) return work;
  }
}

absl::Status StatesFolder::Discard(const std::string& folder) const {
  if (!Exists(folder)) return absl::OkStatus();
  const std::string work_folder = Concat(root_, kWork, "/");
  if (folder.starts_with(work_folder)) return RemoveTree(folder);
  DYNOLITH_ASSIGN_OR_RETURN(const std::string work, NewWork());
  if (rename(folder.c_str(), work.c_str()) == 0) return RemoveTree(work);
  if (errno == ENOENT) return absl::OkStatus();
  // On another file system the folder cannot be removed at once.
  return errno == EXDEV ? RemoveTree(folder) : NotRemoved(folder, errno);
}

absl::Status StatesFolder::Tidy() const {
  if (Exists(Concat(root_, kDeleted))) DYNOLITH_RETURN_IF_ERROR(RemoveDeleted());
  // What cannot be removed takes room but disturbs nothing.
  RemoveTree(Concat(root_, kWork)).IgnoreError();
  for (const std::string& data : {data_, given_}) Adopt(Concat(data, kFormerSuffix));
  std::error_code ignored;
  fs::remove(root_, ignored);  // unless it contains something
  return absl::OkStatus();
}

// A snapshot that cannot be moved is found in its present folder. A database with the folder's name
// was created in the folder, between the snapshots. The only store that such a folder contains
// itself is a backup's checkpoint.
void StatesFolder::Adopt(const std::string& former) const {
  const absl::StatusOr<std::vector<std::string>> names = NamesIn(former);
  if (!names.ok() || names->empty()) return;
  const std::string folder = Concat(root_, kSnapshots);
  for (const std::string& name : *names) {
    const std::string from = Concat(former, "/", name);
    const std::string to = Concat(folder, "/", name);
    const bool is_snapshot =
        RestorableDatabase::IsName(name) && name != kCheckpoint && IsStore(from);
    if (!is_snapshot || Exists(to)) continue;
    if (!MakeFolder(folder).ok()) return;
    Rename(from, to).IgnoreError();
  }
  std::error_code ignored;
  fs::remove(former, ignored);  // unless something is left in it
}

absl::Status StatesFolder::DeleteAll() const {
  DYNOLITH_RETURN_IF_ERROR(MakeFolder(root_));
  // This rename deletes the database; anybody can finish the rest later.
  const std::string deleted = Concat(root_, kDeleted);
  if (rename(data_.c_str(), deleted.c_str()) != 0) return NotRemoved(data_, errno);
  return RemoveDeleted();
}

absl::Status StatesFolder::RemoveDeleted() const {
  // Snapshots that could not be moved here.
  for (const std::string& folder : SnapshotFolders()) {
    if (folder.starts_with(root_)) continue;
    DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(folder));
    for (const std::string& name : names) {
      const std::string place = Concat(folder, "/", name);
      if (IsStore(place)) DYNOLITH_RETURN_IF_ERROR(RemoveTree(place));
    }
  }
  // Removed as a whole, so that a new database of this name begins empty.
  const fs::path root(root_);
  std::string away = Concat(root.parent_path().string(), "/", kRemoved, "XXXXXX");
  if (mkdtemp(away.data()) == nullptr) return NotRemoved(root_, errno);
  DYNOLITH_RETURN_IF_ERROR(Rename(root_, Concat(away, "/", root.filename().string())));
  return RemoveTree(away);
}

absl::Status StatesFolder::CheckRoom(const std::string& path) {
  if (!Exists(path)) return absl::OkStatus();
  std::error_code ignored;
  const absl::StatusOr<std::vector<std::string>> names = NamesIn(path);
  const bool is_room = fs::is_directory(path, ignored) && names.ok() &&
                       std::all_of(names->begin(), names->end(), IsLeftByKilledStart);
  if (is_room) return absl::OkStatus();
  return absl::FailedPreconditionError(messages::CheckpointFolderInUse(path));
}

absl::Status StatesFolder::ClearRoom() const {
  DYNOLITH_RETURN_IF_ERROR(CheckRoom(data_));
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(data_));
  for (const std::string& name : names) {
    if (!IsLeftByKilledStart(name)) continue;
    DYNOLITH_RETURN_IF_ERROR(RemoveTree(Concat(data_, "/", name)));
  }
  return absl::OkStatus();
}

absl::Status StatesFolder::TidyAll(const std::string& parent) {
  const std::string states = Concat(parent, "/", kFolder);
  std::set<std::string> untidy;
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> kept, NamesIn(states));
  for (const std::string& name : kept) {
    const std::string root = Concat(states, "/", name);
    if (name.starts_with(kRemoved)) {
      RemoveTree(root).IgnoreError();
    } else if (Exists(Concat(root, kDeleted)) || Exists(Concat(root, kWork))) {
      untidy.insert(name);
    }
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(parent));
  for (const std::string& name : names) {
    if (!name.ends_with(kFormerSuffix)) continue;
    std::string of = name.substr(0, name.size() - kFormerSuffix.size());
    if (IsStore(Concat(parent, "/", of))) untidy.insert(std::move(of));
  }
  for (const std::string& name : untidy) {
    const std::string data = Concat(parent, "/", name);
    // A failure here is handled or reported when that database is opened.
    const auto lock = FolderLock::TakeNew(data);
    const absl::StatusOr<StatesFolder> of = Of(data);
    if (!lock.ok() || !of.ok()) continue;
    of->Tidy().IgnoreError();
    std::error_code ignored;
    fs::remove(data, ignored);  // if TakeNew created it for its lock
  }
  return absl::OkStatus();
}

}  // namespace dynolith
