#include "tools/ship/target/folder_target.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <set>
#include <utility>

#include "engine/base/errno_status.h"
#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/ship/target/local_file.h"
#include "tools/ship/target/messages.h"
#include "tools/ship/target/object_name.h"

namespace dynolith::ship {
namespace {

constexpr std::string_view kUnfinished = "unfinished~";
constexpr time_t kOldSeconds = 3600;
constexpr size_t kPieceBytes = 1 << 20;
constexpr mode_t kFolderMode = 0755;

std::string FolderOf(std::string_view path) {
  const size_t end = path.rfind('/');
  if (end == std::string_view::npos) return ".";
  return std::string(path.substr(0, end == 0 ? 1 : end));
}

// Makes a folder and those it is in, durably. Returns 0 or errno.
int MakeFolders(const std::string& folder) {
  if (mkdir(folder.c_str(), kFolderMode) == 0) return SynchronizeFolderOf(folder);
  if (errno == EEXIST) {
    struct stat found = {};
    if (stat(folder.c_str(), &found) != 0) return errno;
    return S_ISDIR(found.st_mode) ? 0 : ENOTDIR;
  }
  const std::string parent = FolderOf(folder);
  if (errno != ENOENT || parent == folder || parent == ".") return errno;
  if (const int error = MakeFolders(parent); error != 0) return error;
  if (mkdir(folder.c_str(), kFolderMode) != 0 && errno != EEXIST) return errno;
  return SynchronizeFolderOf(folder);
}

struct FolderEntry {
  std::string name;
  bool is_file = false;  // false: it has to be asked for
};

// The entries of a folder but "." and "..". Returns 0 or errno.
int ReadFolder(const std::string& folder, std::vector<FolderEntry>* entries) {
  DIR* const stream = opendir(folder.c_str());
  if (stream == nullptr) return errno;
  const std::unique_ptr<DIR, int (*)(DIR*)> closed(stream, closedir);
  for (;;) {
    errno = 0;
    const dirent* const entry = readdir(stream);
    if (entry == nullptr) return errno;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      entries->push_back({.name = std::string(name), .is_file = entry->d_type == DT_REG});
    }
  }
}

bool MeansNoLinks(int error) {
  return error == EPERM || error == ENOTSUP || error == ENOSYS || error == EMLINK;
}

}  // namespace

// A file that has no name yet. It is removed, unless it has been renamed.
class FolderTarget::Unfinished {
 public:
  static std::unique_ptr<Unfinished> Make(const FolderTarget& target, int* error) {
    static std::atomic<uint64_t> number = 0;
    // Another process, or one of another machine, may have the same number.
    for (;;) {
      std::string path = Concat(target.folder_, "/", kUnfinished, "/", getpid(), ".", ++number);
      const int out = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kNewFileMode);
      if (out >= 0) return std::unique_ptr<Unfinished>(new Unfinished(std::move(path), out));
      *error = target.has_mark_ ? errno : EROFS;
      if (*error != EEXIST) return nullptr;
    }
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;
  ~Unfinished() { unlink(path_.c_str()); }

  const std::string& path() const { return path_; }
  // Return 0 or errno.
  int Write(std::string_view bytes) { return WriteAll(out_.number(), bytes); }
  int Sync() { return fsync(out_.number()) == 0 ? 0 : errno; }

 private:
  Unfinished(std::string path, int out) : path_(std::move(path)), out_(out) {}
  const std::string path_;
  Descriptor out_;
};

absl::StatusOr<std::unique_ptr<FolderTarget>> FolderTarget::Open(const std::string& folder,
                                                                 const FolderOptions& options) {
  std::string path = folder;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  std::unique_ptr<FolderTarget> target(new FolderTarget(std::move(path), options));
  DYNOLITH_RETURN_IF_ERROR(target->Prepare());
  return target;
}

absl::Status FolderTarget::Prepare() {
  if (options_.only_reads) return FindMark();
  if (!options_.must_exist) {
    const int error = MakeFolders(folder_);
    return error == 0 ? MakeMark() : Failure("open", "", error);
  }
  DYNOLITH_RETURN_IF_ERROR(FindMark());
  std::vector<FolderEntry> entries;
  if (const int error = ReadFolder(folder_, &entries); error != 0) {
    return Failure("open", "", error);
  }
  std::erase_if(entries, [](const FolderEntry& entry) {
    return entry.name == kUnfinished || entry.name == "lost+found";
  });
  if (entries.empty()) return absl::UnavailableError(messages::ShipFolderEmpty(folder_));
  return MakeMark();
}

absl::Status FolderTarget::MakeMark() {
  const std::string mark = PathOf(kUnfinished);
  // Its parents are not made in the place of a target that is away.
  int mark_error = mkdir(mark.c_str(), kFolderMode) == 0 ? SynchronizeFolderOf(mark) : errno;
  struct stat found = {};
  if (mark_error == EEXIST) mark_error = stat(mark.c_str(), &found) == 0 ? 0 : errno;
  if (mark_error == 0 && found.st_mode != 0 && !S_ISDIR(found.st_mode)) mark_error = ENOTDIR;
  has_mark_ = mark_error == 0;
  const bool is_read_only = mark_error == EROFS || mark_error == EACCES || mark_error == EPERM;
  if (!has_mark_ && !is_read_only) return Failure("open", "", mark_error);
  if (has_mark_) RemoveOldRemains();
  return absl::OkStatus();
}

absl::Status FolderTarget::FindMark() {
  struct stat found = {};
  const int error = stat(folder_.c_str(), &found) != 0 ? errno : 0;
  if (error == ENOENT) return absl::UnavailableError(messages::ShipFolderMissing(folder_));
  if (error != 0 || !S_ISDIR(found.st_mode)) return Failure("open", "", error ? error : ENOTDIR);
  has_mark_ = stat(PathOf(kUnfinished).c_str(), &found) == 0;
  return absl::OkStatus();
}

void FolderTarget::RemoveOldRemains() const {
  // Remains that cannot be removed cost space only.
  std::vector<FolderEntry> entries;
  if (ReadFolder(PathOf(kUnfinished), &entries) != 0) return;
  const time_t now = time(nullptr);
  for (const FolderEntry& entry : entries) {
    const std::string path = Concat(PathOf(kUnfinished), "/", entry.name);
    struct stat found = {};
    if (lstat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) continue;
    if (now - found.st_mtime > kOldSeconds) unlink(path.c_str());
  }
}

absl::Status FolderTarget::Put(std::string_view name, std::string_view bytes) {
  DYNOLITH_RETURN_IF_ERROR(CheckName(name));
  int error = 0;
  const std::unique_ptr<Unfinished> file = Unfinished::Make(*this, &error);
  if (file != nullptr) error = file->Write(bytes);
  if (file != nullptr && error == 0) error = file->Sync();
  if (file == nullptr || error != 0) return Failure("write", name, error);
  return PlaceAsName(name, *file);
}

absl::StatusOr<bool> FolderTarget::PutNew(std::string_view name, std::string_view bytes) {
  DYNOLITH_RETURN_IF_ERROR(CheckName(name));
  int error = 0;
  const std::unique_ptr<Unfinished> file = Unfinished::Make(*this, &error);
  if (file != nullptr) error = file->Write(bytes);
  if (file != nullptr && error == 0) error = file->Sync();
  if (file == nullptr || error != 0) return Failure("write", name, error);
  return PlaceAsNew(name, *file);
}

absl::Status FolderTarget::PutFile(std::string_view name, const std::string& path) {
  DYNOLITH_RETURN_IF_ERROR(CheckName(name));
  DYNOLITH_ASSIGN_OR_RETURN(LocalReader reader, LocalReader::Open(path));
  int error = 0;
  const std::unique_ptr<Unfinished> file = Unfinished::Make(*this, &error);
  if (file == nullptr) return Failure("write", name, error);
  for (uint64_t left = reader.bytes(); left > 0;) {
    if (IsInterrupted()) return Failure("write", name, ECANCELED);
    DYNOLITH_ASSIGN_OR_RETURN(const std::string piece,
                              reader.Read(std::min<uint64_t>(left, kPieceBytes)));
    if (piece.empty()) return absl::InternalError(messages::ShipFileChanges(path));
    if (error = file->Write(piece); error != 0) return Failure("write", name, error);
    left -= piece.size();
  }
  if (error = file->Sync(); error != 0) return Failure("write", name, error);
  return PlaceAsName(name, *file);
}

absl::Status FolderTarget::PlaceAsName(std::string_view name, const Unfinished& file) const {
  const std::string path = PathOf(name);
  int error = rename(file.path().c_str(), path.c_str()) == 0 ? 0 : errno;
  if (error == ENOENT) {
    error = MakeFolderOf(name);
    if (error == 0 && rename(file.path().c_str(), path.c_str()) != 0) error = errno;
  }
  if (error == 0) error = SynchronizeFolderOf(path);
  return error == 0 ? absl::OkStatus() : Failure("write", name, error);
}

absl::StatusOr<bool> FolderTarget::PlaceAsNew(std::string_view name, const Unfinished& file) const {
  const std::string path = PathOf(name);
  const auto place = [&] {
    int error = options_.may_link ? 0 : EPERM;
    if (options_.may_link && link(file.path().c_str(), path.c_str()) != 0) error = errno;
    if (!MeansNoLinks(error)) return error;
    const int renamed =
        renameat2(AT_FDCWD, file.path().c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE);
    return renamed == 0 ? 0 : errno;
  };
  int error = place();
  if (error == ENOENT) {
    error = MakeFolderOf(name);
    if (error == 0) error = place();
  }
  if (error == EEXIST) return false;
  if (error == 0) error = SynchronizeFolderOf(path);
  if (error == 0) return true;
  return Failure("write", name, error);
}

int FolderTarget::MakeFolderOf(std::string_view name) const {
  // If the target is away, its folders are not made in its place.
  struct stat found = {};
  if (stat(PathOf(kUnfinished).c_str(), &found) != 0) return errno;
  return MakeFolders(FolderOf(PathOf(name)));
}

absl::StatusOr<std::string> FolderTarget::Get(std::string_view name) {
  std::string bytes;
  const auto append = [&](std::string_view piece) {
    if (bytes.size() + piece.size() > kGetBytesMax) {
      return absl::OutOfRangeError(
          messages::ShipFailed("read", name, folder_, messages::ShipObjectTooLarge(kGetBytesMax)));
    }
    bytes.append(piece);
    return absl::OkStatus();
  };
  DYNOLITH_RETURN_IF_ERROR(Read(name, append));
  return bytes;
}

absl::Status FolderTarget::GetFile(std::string_view name, const std::string& path) {
  std::unique_ptr<LocalWriter> writer;
  const auto write = [&](std::string_view piece) { return writer->Write(piece); };
  DYNOLITH_ASSIGN_OR_RETURN(writer, LocalWriter::Make(path));
  DYNOLITH_RETURN_IF_ERROR(Read(name, write));
  return writer->Finish();
}

absl::Status FolderTarget::Read(std::string_view name,
                                absl::FunctionRef<absl::Status(std::string_view)> take) const {
  DYNOLITH_RETURN_IF_ERROR(CheckName(name));
  const Descriptor in(open(PathOf(name).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat found = {};
  if (!in.IsOpen() || fstat(in.number(), &found) != 0) return Failure("read", name, errno);
  if (!S_ISREG(found.st_mode)) return Failure("read", name, ENOENT);
  // An object is replaced by another file, so this one keeps its bytes.
  for (auto left = static_cast<uint64_t>(found.st_size); left > 0;) {
    if (IsInterrupted()) return Failure("read", name, ECANCELED);
    std::string piece;
    const int error = ReadUpTo(in.number(), std::min<uint64_t>(left, kPieceBytes), &piece);
    if (error != 0) return Failure("read", name, error);
    if (piece.empty()) {
      return absl::DataLossError(
          messages::ShipFailed("read", name, folder_, messages::ShipObjectCut()));
    }
    DYNOLITH_RETURN_IF_ERROR(take(piece));
    left -= piece.size();
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<ObjectInfo>> FolderTarget::List(std::string_view prefix,
                                                           std::string_view after) {
  DYNOLITH_RETURN_IF_ERROR(CheckPrefix(prefix));
  DYNOLITH_RETURN_IF_ERROR(CheckPresence("list", prefix));
  std::vector<ObjectInfo> found;
  const size_t end = prefix.rfind('/');
  const std::string inside(end == std::string_view::npos ? "" : prefix.substr(0, end + 1));
  DYNOLITH_RETURN_IF_ERROR(Walk(inside, prefix, after, &found));
  std::sort(found.begin(), found.end(),
            [](const ObjectInfo& left, const ObjectInfo& right) { return left.name < right.name; });
  return found;
}

// `inside`: the part of names that is a folder, with a / at its end; empty: the target's.
absl::Status FolderTarget::Walk(const std::string& inside, std::string_view prefix,
                                std::string_view after, std::vector<ObjectInfo>* found) const {
  std::vector<FolderEntry> entries;
  const int error = ReadFolder(inside.empty() ? folder_ : PathOf(inside), &entries);
  if (error == ENOENT || error == ENOTDIR) return absl::OkStatus();
  if (error != 0) return Failure("list", inside, error);
  for (const FolderEntry& entry : entries) {
    const std::string name = inside + entry.name;
    // A list of what is new asks for that only.
    if (!name.starts_with(prefix) || (entry.is_file && name <= after)) continue;
    if (!CheckName(name).ok()) continue;
    struct stat there = {};
    // What is deleted meanwhile may be missing.
    if (lstat(PathOf(name).c_str(), &there) != 0) {
      if (errno == ENOENT) continue;
      return Failure("list", name, errno);
    }
    if (S_ISDIR(there.st_mode)) {
      if (IsInterrupted()) return Failure("list", inside, ECANCELED);
      DYNOLITH_RETURN_IF_ERROR(Walk(name + "/", prefix, after, found));
    } else if (S_ISREG(there.st_mode) && name > after) {
      found->push_back({.name = name, .bytes = static_cast<uint64_t>(there.st_size)});
    }
  }
  return absl::OkStatus();
}

absl::Status FolderTarget::Delete(const std::vector<std::string>& names) {
  for (const std::string& name : names) DYNOLITH_RETURN_IF_ERROR(CheckName(name));
  DYNOLITH_RETURN_IF_ERROR(CheckPresence("delete", names.empty() ? "" : names.front()));
  std::set<std::string> folders;
  for (const std::string& name : names) {
    if (IsInterrupted()) return Failure("delete", name, ECANCELED);
    const std::string path = PathOf(name);
    if (unlink(path.c_str()) == 0) {
      folders.insert(FolderOf(path));
    } else if (errno != ENOENT && errno != ENOTDIR && errno != EISDIR) {
      return Failure("delete", name, errno);
    }
  }
  for (const std::string& folder : folders) {
    const int error = SynchronizeFolderOf(folder + "/");
    if (error != 0) return Failure("delete", names.front(), error);
  }
  return absl::OkStatus();
}

absl::Status FolderTarget::CheckPresence(std::string_view what, std::string_view name) const {
  struct stat found = {};
  if (stat(PathOf(has_mark_ ? kUnfinished : "").c_str(), &found) == 0) return absl::OkStatus();
  return Failure(what, name, errno);
}

absl::Status FolderTarget::Failure(std::string_view what, std::string_view name, int error) const {
  const auto message = [&](std::string_view reason) {
    return messages::ShipFailed(what, name, folder_, reason);
  };
  if (error == ECANCELED) return absl::UnavailableError(message(messages::ShipInterrupted()));
  struct stat found = {};
  if (error == ENOENT && has_mark_ && stat(PathOf(kUnfinished).c_str(), &found) != 0) {
    return absl::UnavailableError(message(messages::ShipFolderAway(kUnfinished)));
  }
  if (error == ENOENT && what == "read") {
    return absl::NotFoundError(message(messages::ShipObjectMissing()));
  }
  if (error == EINVAL && what == "write") {
    return absl::InvalidArgumentError(message(messages::ShipNeitherLinksNorRenames()));
  }
  const absl::Status status = ErrnoStatus(error, message(ErrnoReason(error)));
  // A disk or a file server that fails may come back.
  return absl::IsInternal(status) ? absl::UnavailableError(status.message()) : status;
}

bool FolderTarget::IsInterrupted() const {
  return options_.interrupted != nullptr && options_.interrupted->load();
}

std::string FolderTarget::PathOf(std::string_view name) const { return Concat(folder_, "/", name); }

}  // namespace dynolith::ship
