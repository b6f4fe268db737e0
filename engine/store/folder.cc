#include "engine/store/folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/messages/store.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "dynolith store ";
constexpr std::string_view kCreating = "creating";
constexpr std::string_view kCopied = "copied";
constexpr std::string_view kTemporary = "DYNOLITH.new";

std::string Reason(int error) { return std::generic_category().message(error); }

bool IsPermission(int error) { return error == EACCES || error == EPERM || error == EROFS; }

absl::Status FolderError(const std::string& path, int error) {
  const std::string message = messages::StoreFolderUnusable(path, Reason(error));
  return IsPermission(error) ? absl::PermissionDeniedError(message) : absl::NotFoundError(message);
}

absl::Status FileError(const std::string& file, int error) {
  const std::string message = messages::StoreFileUnusable(file, Reason(error));
  if (error == ENOSPC) return absl::ResourceExhaustedError(message);
  return IsPermission(error) ? absl::PermissionDeniedError(message) : absl::InternalError(message);
}

// Writes, syncs and renames, so that the file is there as a whole or not at all.
absl::Status WriteFormatFile(const std::string& path, std::string_view state) {
  const std::string temporary = Concat(path, "/", kTemporary);
  const std::string file = Concat(path, "/", kFormatFile);
  const std::string text = Concat(kMagic, kFormatVersion, state.empty() ? "" : " ", state, "\n");
  const int out = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (out < 0) return FileError(temporary, errno);
  const bool written =
      write(out, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(out) == 0;
  const int error = errno;
  close(out);
  if (!written) return FileError(temporary, error);
  if (rename(temporary.c_str(), file.c_str()) != 0) return FileError(file, errno);
  const int folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return FileError(path, errno);
  const bool synced = fsync(folder) == 0;
  const int sync_error = errno;
  close(folder);
  return synced ? absl::OkStatus() : FileError(path, sync_error);
}

// The state word of the format file's text.
absl::StatusOr<std::string> ParseFormat(const std::string& file, std::string_view text) {
  const absl::Status unreadable = absl::DataLossError(messages::StoreFileUnreadable(file));
  if (text.substr(0, kMagic.size()) != kMagic || text.back() != '\n') return unreadable;
  const std::string_view rest = text.substr(kMagic.size(), text.size() - kMagic.size() - 1);
  const size_t digits = std::min(rest.find(' '), rest.size());
  int64_t version = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + digits, version);
  if (error != std::errc() || end != rest.data() + digits || version < 1) return unreadable;
  if (version > kFormatVersion) {
    return absl::FailedPreconditionError(
        messages::StoreNewer(file, std::to_string(version), std::to_string(kFormatVersion)));
  }
  const std::string state(rest.substr(std::min(rest.size(), digits + 1)));
  if (!state.empty() && state != kCreating && state != kCopied) return unreadable;
  return state;
}

std::string ReadWhole(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Listing {
  std::vector<std::string> names;  // sorted
  bool Has(std::string_view name) const {
    return std::find(names.begin(), names.end(), name) != names.end();
  }
  bool HasSuffix(std::string_view suffix) const {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return name.size() > suffix.size() && name.ends_with(suffix);
    });
  }
};

absl::StatusOr<Listing> List(const std::string& path) {
  Listing listing;
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    listing.names.push_back(it->path().filename().string());
  }
  if (error) return FolderError(path, error.value());
  std::sort(listing.names.begin(), listing.names.end());
  return listing;
}

// RocksDB's file names: "000012.sst" and others. A folder that has them but no format file has lost
// it.
bool BelongsToStore(const std::string& name) {
  const size_t dot = std::min(name.find('.'), name.size());
  const std::string_view suffix = std::string_view(name).substr(dot);
  const bool is_numbered = dot > 0 && std::all_of(name.begin(), name.begin() + dot,
                                                  [](char c) { return c >= '0' && c <= '9'; });
  return name == "CURRENT" || name == "IDENTITY" || name.starts_with("MANIFEST-") ||
         name.starts_with("OPTIONS-") || (is_numbered && (suffix == ".sst" || suffix == ".log"));
}

// Errors unless the folder is as good as empty.
absl::Status CheckEmpty(const std::string& path, const Listing& listing) {
  for (const std::string& name : listing.names) {
    if (BelongsToStore(name)) {
      return absl::DataLossError(messages::StoreFileMissing(Concat(path, "/", kFormatFile)));
    }
  }
  for (const std::string& name : listing.names) {
    // What mkfs puts into a fresh volume, and what a crash right at the start leaves.
    if (name == "lost+found" || name == kTemporary) continue;
    return absl::FailedPreconditionError(messages::StoreForeign(Concat(path, "/", name)));
  }
  return absl::OkStatus();
}

// Errors if a file is missing without which RocksDB would start empty or lose rows silently. It
// checks the table files itself.
absl::Status CheckComplete(const std::string& path, const Listing& listing, bool needs_log) {
  const std::string current = Concat(path, "/CURRENT");
  if (!listing.Has("CURRENT")) return absl::DataLossError(messages::StoreFileMissing(current));
  std::string manifest = ReadWhole(current);
  if (manifest.empty() || manifest.back() != '\n' || !manifest.starts_with("MANIFEST-")) {
    return absl::DataLossError(messages::StoreFileUnreadable(current));
  }
  manifest.pop_back();
  if (!listing.Has(manifest)) {
    return absl::DataLossError(messages::StoreFileMissing(Concat(path, "/", manifest)));
  }
  // There is always one: it is made before the first write and never deleted before the next is
  // there.
  if (needs_log && !listing.HasSuffix(".log")) {
    return absl::DataLossError(messages::StoreFileMissing(Concat(path, "/*.log")));
  }
  return absl::OkStatus();
}

absl::Status TakeLock(const std::string& path, int descriptor, Folder::Use use) {
  if (use == Folder::Use::kReadBesideWriter) return absl::OkStatus();
  const int lock = use == Folder::Use::kRead ? LOCK_SH : LOCK_EX;
  if (flock(descriptor, lock | LOCK_NB) == 0) return absl::OkStatus();
  if (errno == EWOULDBLOCK) return absl::UnavailableError(messages::StoreHeld(path));
  // A file system without flock: RocksDB's own lock file remains.
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Folder> Folder::Open(const std::string& path, Use use) {
  const bool read_only = use != Use::kWrite;
  if (!read_only) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) return FolderError(path, error.value());
  }
  const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0 && errno == ENOENT) {
    return absl::NotFoundError(messages::StoreFolderMissing(path));
  }
  if (descriptor < 0) return FolderError(path, errno);
  Folder folder(path, descriptor);
  DYNOLITH_RETURN_IF_ERROR(TakeLock(path, descriptor, use));
  if (!read_only && access(path.c_str(), W_OK) != 0) return FolderError(path, errno);

  DYNOLITH_ASSIGN_OR_RETURN(const Listing listing, List(path));
  if (!listing.Has(kFormatFile)) {
    const absl::Status empty = CheckEmpty(path, listing);
    // Whoever only looks at a folder of no RocksDB store has most likely the wrong one.
    if (read_only && !listing.Has("CURRENT")) {
      return absl::Status(empty.ok() ? absl::StatusCode::kNotFound : empty.code(),
                          messages::NotAStore(path, kFormatFile));
    }
    DYNOLITH_RETURN_IF_ERROR(empty);
    DYNOLITH_RETURN_IF_ERROR(WriteFormatFile(path, kCreating));
    return folder;
  }
  const std::string file = Concat(path, "/", kFormatFile);
  DYNOLITH_ASSIGN_OR_RETURN(const std::string state, ParseFormat(file, ReadWhole(file)));
  if (state == kCreating) {
    if (read_only) return absl::NotFoundError(messages::StoreFolderMissing(path));
  } else {
    DYNOLITH_RETURN_IF_ERROR(CheckComplete(path, listing, /*needs_log=*/state != kCopied));
  }
  folder.complete_ = state.empty();
  return folder;
}

Folder::Folder(Folder&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      complete_(other.complete_) {}

Folder& Folder::operator=(Folder&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(complete_, other.complete_);
  return *this;
}

Folder::~Folder() {
  if (descriptor_ >= 0) close(descriptor_);
}

absl::Status Folder::MarkComplete() {
  if (complete_) return absl::OkStatus();
  DYNOLITH_RETURN_IF_ERROR(WriteFormatFile(path_, ""));
  complete_ = true;
  return absl::OkStatus();
}

absl::Status Folder::MakeRoomForCopy(const std::string& path) {
  std::error_code error;
  if (fs::exists(path, error)) {
    if (!fs::is_directory(path, error) || !fs::is_empty(path, error)) {
      return absl::FailedPreconditionError(messages::CheckpointFolderInUse(path));
    }
    fs::remove(path, error);
  } else if (const fs::path parent = fs::path(path).parent_path(); !parent.empty()) {
    fs::create_directories(parent, error);
  }
  return error ? FolderError(path, error.value()) : absl::OkStatus();
}

absl::Status Folder::MarkCopied(const std::string& path) { return WriteFormatFile(path, kCopied); }

}  // namespace dynolith
