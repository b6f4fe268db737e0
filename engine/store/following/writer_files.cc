#include "engine/store/following/writer_files.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>

#include "engine/base/errno_status.h"
#include "engine/store/following/messages.h"

namespace dynolith {
namespace {

struct Closer {
  void operator()(DIR* folder) const { closedir(folder); }
};

absl::Status Failure(const std::string& folder, int error) {
  return ErrnoStatus(error, messages::WriterUnreadable(folder, ErrnoReason(error)));
}

void Sort(std::vector<WriterFile>* files) {
  std::sort(files->begin(), files->end(), [](const WriterFile& a, const WriterFile& b) {
    return std::pair(a.name.size(), std::string_view(a.name)) <
           std::pair(b.name.size(), std::string_view(b.name));
  });
}

}  // namespace

absl::StatusOr<WriterFiles> LookAtWriter(const std::string& folder) {
  const std::unique_ptr<DIR, Closer> opened(opendir(folder.c_str()));
  if (opened == nullptr) return Failure(folder, errno);
  WriterFiles files;
  for (;;) {
    errno = 0;
    const dirent* const entry = readdir(opened.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    const bool is_log = name.ends_with(".log");
    if (!is_log && name != "CURRENT" && !name.starts_with("MANIFEST-")) continue;
    struct stat facts;
    if (fstatat(dirfd(opened.get()), entry->d_name, &facts, 0) != 0) {
      if (errno == ENOENT) continue;
      return Failure(folder, errno);
    }
    (is_log ? files.logs : files.manifests)
        .push_back({std::string(name), static_cast<uint64_t>(facts.st_size), facts.st_ino});
  }
  if (errno != 0) return Failure(folder, errno);
  Sort(&files.manifests);
  Sort(&files.logs);
  return files;
}

}  // namespace dynolith
