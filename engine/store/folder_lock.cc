#include "engine/store/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "engine/process/forked_process.h"
#include "engine/store/messages.h"
#include "engine/store/own_files.h"

namespace dynolith {
absl::StatusOr<std::shared_ptr<const FolderLock>> FolderLock::Take(const std::string& path,
                                                                   Kind kind) {
  for (;;) {
    const int descriptor = OpenUnshared(path.c_str(), O_RDONLY | O_DIRECTORY);
    if (descriptor < 0 && errno == ENOENT) {
      return absl::NotFoundError(messages::StoreFolderMissing(path));
    }
    if (descriptor < 0) {
      return kind == Kind::kShared ? FolderReadFailure(path, errno) : FolderFailure(path, errno);
    }
    std::shared_ptr<const FolderLock> lock(new FolderLock(descriptor));
    const int how = kind == Kind::kShared ? LOCK_SH : LOCK_EX;
    if (flock(descriptor, how | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      return absl::UnavailableError(IsOpenTwiceUnshared(descriptor) ? messages::StoreHeldHere(path)
                                                                    : messages::StoreHeld(path));
    }
    // Another folder may have taken the name since this one was opened.
    if (lock->Holds(path)) return lock;
  }
}

absl::StatusOr<std::shared_ptr<const FolderLock>> FolderLock::TakeNew(const std::string& path) {
  // The operating system's error; <filesystem> would report an invalid argument.
  if (path.empty()) return FolderFailure(path, ENOENT);
  for (;;) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) return FolderFailure(path, error.value());
    absl::StatusOr<std::shared_ptr<const FolderLock>> lock = Take(path, Kind::kExclusive);
    // Another process that also created it may have removed it.
    if (!absl::IsNotFound(lock.status())) return lock;
  }
}

FolderLock::~FolderLock() {
  if (!process_.IsForked()) CloseUnshared(descriptor_);
}

bool FolderLock::Holds(const std::string& path) const {
  struct stat held = {};
  struct stat named = {};
  return fstat(descriptor_, &held) == 0 && stat(path.c_str(), &named) == 0 &&
         held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

}  // namespace dynolith
