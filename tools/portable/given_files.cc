#include "tools/portable/given_files.h"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "engine/base/file_text.h"
#include "tools/program/lab_outputs.h"

namespace dynolith {
namespace {

// Both are destroyed with the module.
struct Files {
  std::vector<WrittenFile> given;
  std::vector<WrittenFile> written;
  std::string missed;
};
Files& All() {
  static Files files;
  return files;
}

const WrittenFile* Find(const std::vector<WrittenFile>& files, std::string_view name) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const WrittenFile& file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

const WrittenFile* Find(std::string_view name) {
  const WrittenFile* const written = Find(All().written, name);
  return written != nullptr ? written : Find(All().given, name);
}

}  // namespace

void GiveFile(std::string name, std::string text) {
  All().given.push_back({std::move(name), std::move(text)});
}
const std::vector<WrittenFile>& WrittenFiles() { return All().written; }
std::string MissedFile() { return All().missed; }

// --- engine/base/file_text.h

FileText ReadFileText(const std::string& file, size_t bytes_max) {
  const WrittenFile* const found = Find(file);
  if (found == nullptr) {
    All().missed = file;
    return {.text = {}, .error = ENOENT};
  }
  if (found->text.size() > bytes_max) return {.text = {}, .error = EFBIG};
  return {.text = found->text, .error = 0};
}

bool MayBeThere(const std::string& file) { return Find(file) != nullptr; }

int ReplaceFileText(const std::string& /*file*/, std::string_view /*text*/) { return ENOTSUP; }
int SynchronizeFolderOf(const std::string& /*file*/) { return 0; }

// --- tools/program/lab_outputs.h: whether the host can write it is seen when the host does

absl::Status WriteTextFile(const std::string& file, std::string_view text) {
  All().written.push_back({file, std::string(text)});
  return absl::OkStatus();
}
absl::Status CheckWritable(const std::string& /*file*/) { return absl::OkStatus(); }
absl::Status MakeFolder(const std::string& /*folder*/) { return absl::OkStatus(); }

}  // namespace dynolith
