#include "engine/base/file_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace dynolith {
namespace {

constexpr mode_t kFileMode = 0644;

// Returns 0 or errno.
int WriteDurably(const std::string& file, std::string_view text) {
  const int out = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kFileMode);
  if (out < 0) return errno;
  int error = 0;
  while (!text.empty() && error == 0) {
    const ssize_t written = write(out, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  if (error == 0 && fsync(out) != 0) error = errno;
  close(out);
  return error;
}

}  // namespace

FileText ReadFileText(const std::string& file, size_t bytes_max) {
  FileText read;
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {.text = {}, .error = errno};
  std::array<char, 16 << 10> part;
  for (;;) {
    const ssize_t bytes = ::read(descriptor, part.data(), part.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) read.error = errno;
    if (bytes <= 0) break;
    read.text.append(part.data(), static_cast<size_t>(bytes));
    if (read.text.size() <= bytes_max) continue;
    read.error = EFBIG;
    break;
  }
  close(descriptor);
  return read;
}

int ReplaceFileText(const std::string& file, std::string_view text) {
  const std::string temporary = file + ".new";
  int error = WriteDurably(temporary, text);
  if (error == 0 && std::rename(temporary.c_str(), file.c_str()) != 0) error = errno;
  if (error == 0) return SynchronizeFolderOf(file);
  std::remove(temporary.c_str());
  return error;
}

int SynchronizeFolderOf(const std::string& file) {
  const std::filesystem::path parent = std::filesystem::path(file).parent_path();
  const int folder =
      open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return errno;
  const int error = fsync(folder) == 0 ? 0 : errno;
  close(folder);
  return error;
}

bool MayBeThere(const std::string& file) {
  struct stat found = {};
  return stat(file.c_str(), &found) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

}  // namespace dynolith
