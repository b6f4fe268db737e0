#include "engine/store/following/writer_files.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

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
  std::sort(files->begin(), files->end(),
            [](const WriterFile& a, const WriterFile& b) { return a.name < b.name; });
}

}  // namespace

bool IsOneState(const WriterFiles& known, const WriterFiles& before, const WriterFiles& after) {
  if (before.manifests == after.manifests) return true;
  // The last log may have grown since it was read. If it and all later ones are the same, the
  // writer has not begun another one, and so has not deleted any of these.
  if (known.logs.empty()) return false;
  const std::string& needed = known.logs.back().name;
  const auto first = [&needed](const WriterFiles& files) {
    return std::find_if(files.logs.begin(), files.logs.end(),
                        [&](const WriterFile& log) { return log.name >= needed; });
  };
  const auto begin = first(before);
  return begin != before.logs.end() && begin->name == needed &&
         std::equal(begin, before.logs.end(), first(after), after.logs.end(),
                    [](const WriterFile& a, const WriterFile& b) { return a.name == b.name; });
}

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
