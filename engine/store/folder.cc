#include "engine/store/folder.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/encryption/folder_keys.h"
#include "engine/store/messages.h"
#include "engine/store/own_files.h"
#include "engine/store/soundness.h"

namespace dynolith {
namespace {

namespace fs = std::filesystem;

struct Listing {
  std::vector<std::string> names;  // sorted
  bool Has(std::string_view name) const {
    return std::find(names.begin(), names.end(), name) != names.end();
  }
};

// Whether it is a name of RocksDB's files: "000012.sst" and others. A folder with such files but
// without a format file has lost that.
bool BelongsToStore(const std::string& name) {
  const size_t dot = std::min(name.find('.'), name.size());
  const std::string_view suffix = std::string_view(name).substr(dot);
  const bool is_numbered = dot > 0 && std::all_of(name.begin(), name.begin() + dot,
                                                  [](char c) { return c >= '0' && c <= '9'; });
  return name == "CURRENT" || name == kIdentityFile || name.starts_with("MANIFEST-") ||
         name.starts_with("OPTIONS-") ||
         (is_numbered && (suffix == kTableFileSuffix || suffix == kLogSuffix));
}

absl::StatusOr<Listing> List(const std::string& path) {
  Listing listing;
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
    DYNOLITH_RETURN_IF_ERROR(CheckIsNoDevice(*it));
    listing.names.push_back(it->path().filename().string());
  }
  if (error) return FolderReadFailure(path, error.value());
  std::sort(listing.names.begin(), listing.names.end());
  return listing;
}

// Fails unless the folder is practically empty.
absl::Status CheckEmpty(const std::string& path, const Listing& listing) {
  for (const std::string& name : listing.names) {
    if (BelongsToStore(name)) {
      return absl::DataLossError(messages::StoreFileMissing(Concat(path, "/", kFormatFile)));
    }
  }
  for (const std::string& name : listing.names) {
    // mkfs creates the first in a fresh volume, and a crash at the very start leaves the others.
    if (name == "lost+found" || IsLeftByKilledStart(name)) continue;
    return absl::FailedPreconditionError(messages::StoreForeign(Concat(path, "/", name)));
  }
  return absl::OkStatus();
}

// Of a file that says which store it is.
constexpr size_t kIdentityBytesMax = 64 << 10;

std::string FileIn(const std::string& folder, std::string_view name) {
  return Concat(folder, "/", name);
}

std::string IdentityInFile(const std::string& folder, std::string_view name) {
  const FileText read = ReadFileText(FileIn(folder, name), kIdentityBytesMax);
  return read.error == 0 ? IdentityIn(name, read.text) : std::string();
}

}  // namespace

bool IsLeftByKilledStart(std::string_view name) {
  return name == kFormatTemporary || name == kKeysFile || name == Concat(kKeysFile, ".new");
}

absl::Status CheckIsNoDevice(const fs::directory_entry& entry) {
  std::error_code error;
  const fs::file_type type = entry.status(error).type();
  const bool is_device = type == fs::file_type::fifo || type == fs::file_type::socket ||
                         type == fs::file_type::character || type == fs::file_type::block;
  if (!is_device) return absl::OkStatus();
  const std::string name = entry.path().filename().string();
  const bool is_read = BelongsToStore(name) || name.starts_with(kFormatFile) ||
                       name.starts_with("LOG") || name == "LOCK";
  return is_read ? absl::FailedPreconditionError(messages::StoreFileIsDevice(entry.path().string()))
                 : absl::OkStatus();
}

absl::StatusOr<Folder> Folder::Hold(const std::string& path) {
  DYNOLITH_ASSIGN_OR_RETURN(std::shared_ptr<const FolderLock> lock,
                            FolderLock::Take(path, FolderLock::Kind::kShared));
  return Folder(std::move(lock));
}

absl::StatusOr<Folder> Folder::Open(const std::string& path, Use use,
                                    const std::string& key_source) {
  // The operating system's error; <filesystem> would report an invalid argument.
  if (path.empty()) return FolderFailure(path, ENOENT);
  std::shared_ptr<const FolderLock> lock;
  if (use == Use::kWrite) {
    DYNOLITH_ASSIGN_OR_RETURN(lock, FolderLock::TakeNew(path));
  } else if (use == Use::kRead) {
    DYNOLITH_ASSIGN_OR_RETURN(lock, FolderLock::Take(path, FolderLock::Kind::kShared));
  } else if (access(path.c_str(), F_OK) != 0 && errno == ENOENT) {
    return absl::NotFoundError(messages::StoreFolderMissing(path));
  }
  return Look(std::move(lock), path, use != Use::kWrite, key_source);
}

absl::StatusOr<Folder> Folder::OpenUnder(std::shared_ptr<const FolderLock> lock,
                                         const std::string& path, const std::string& key_source) {
  return Look(std::move(lock), path, /*read_only=*/false, key_source);
}

absl::StatusOr<Folder> Folder::Look(std::shared_ptr<const FolderLock> lock, const std::string& path,
                                    bool read_only, const std::string& key_source) {
  Folder folder(std::move(lock));
  if (!read_only && access(path.c_str(), W_OK) != 0) return FolderFailure(path, errno);
  DYNOLITH_ASSIGN_OR_RETURN(const Listing listing, List(path));
  folder.table_files_ = static_cast<size_t>(
      std::count_if(listing.names.begin(), listing.names.end(),
                    [](const std::string& name) { return TableFileNumber(name).has_value(); }));
  if (!listing.Has(kFormatFile)) {
    const absl::Status empty = CheckEmpty(path, listing);
    // A reader of a folder without a RocksDB store most likely has the wrong folder.
    if (read_only && !listing.Has("CURRENT")) {
      return absl::Status(empty.ok() ? absl::StatusCode::kNotFound : empty.code(),
                          messages::NotAStore(path, kFormatFile));
    }
    DYNOLITH_RETURN_IF_ERROR(empty);
    // The keys come first: nothing that is not encrypted is ever written beside them.
    DYNOLITH_ASSIGN_OR_RETURN(folder.keys_, KeysOfNewFolder(path, key_source));
    DYNOLITH_RETURN_IF_ERROR(
        WriteIntegrityManifest(path, &folder.facts_, /*syncs_folder=*/true, folder.keys_.get()));
    return folder;
  }
  DYNOLITH_ASSIGN_OR_RETURN(folder.keys_, KeysOfFolder(path, key_source));
  DYNOLITH_ASSIGN_OR_RETURN(const FoundIntegrityManifest found,
                            ReadIntegrityManifest(path, folder.keys_.get()));
  if (found.integrity.is_sealed && folder.keys_ == nullptr) return KeysAreMissing(path);
  if (found.integrity.state != IntegrityManifest::State::kCreating) {
    DYNOLITH_ASSIGN_OR_RETURN(folder.facts_,
                              CheckSound(path, listing.names, found, folder.keys_.get()));
  } else if (read_only) {
    return absl::NotFoundError(messages::StoreFolderMissing(path));
  }
  return folder;
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
  return error ? FolderFailure(path, error.value()) : absl::OkStatus();
}

namespace {

// Makes the integrity manifest of what is there.
absl::Status Mark(const std::string& path, IntegrityManifest::State state, const StoreKeys* keys) {
  DYNOLITH_ASSIGN_OR_RETURN(const Listing listing, List(path));
  IntegrityManifest unknown{.state = IntegrityManifest::State::kCopied, .has_facts = false};
  DYNOLITH_ASSIGN_OR_RETURN(IntegrityManifest facts,
                            CheckSound(path, listing.names, {unknown, true}, keys));
  facts.state = state;
  return WriteIntegrityManifest(path, &facts, /*syncs_folder=*/true, keys);
}

}  // namespace

absl::Status Folder::MarkCopied(const std::string& path, const StoreKeys* keys) {
  return Mark(path, IntegrityManifest::State::kCopied, keys);
}

absl::Status Folder::MarkWritten(const std::string& path, const StoreKeys* keys) {
  return Mark(path, IntegrityManifest::State::kRunning, keys);
}

std::string IdentityIn(std::string_view name, std::string_view text) {
  if (name == kKeysFile) return StoreIdIn(text);
  while (text.ends_with('\n')) text.remove_suffix(1);
  const bool is_text =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  return is_text ? std::string(text) : std::string();
}

std::string IdentityOf(const std::string& folder) {
  return IdentityInFile(folder, MayBeThere(FileIn(folder, kKeysFile)) ? kKeysFile : kIdentityFile);
}

absl::Status CopyIdentity(const std::string& from, const std::string& to) {
  const std::string identity = IdentityInFile(from, kIdentityFile);
  if (identity.empty()) return absl::OkStatus();
  // RocksDB does not see to that.
  DYNOLITH_RETURN_IF_ERROR(SyncFile(FileIn(from, kIdentityFile)));
  const std::string copy = FileIn(to, kIdentityFile);
  const int error = ReplaceFileText(copy, identity);
  return error == 0 ? absl::OkStatus() : WriteFailure(copy, error);
}

}  // namespace dynolith
