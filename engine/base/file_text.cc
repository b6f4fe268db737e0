#include "engine/base/file_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace dynolith {

FileText ReadFileText(const std::string& file) {
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
  }
  close(descriptor);
  return read;
}

bool MayBeThere(const std::string& file) {
  struct stat found = {};
  return stat(file.c_str(), &found) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

}  // namespace dynolith
