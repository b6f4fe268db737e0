#include "api/service/open_files.h"

#include <sys/resource.h>

#include <filesystem>
#include <system_error>

namespace dynolith {

bool HasFilesForDatabase() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return true;
  size_t open = 0;
  std::error_code error;
  std::filesystem::directory_iterator entry("/proc/self/fd", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) ++open;
  if (error) return error == std::errc::no_such_file_or_directory;
  return open + kFilesOfDatabase <= limit.rlim_cur - limit.rlim_cur / 8;
}

}  // namespace dynolith
