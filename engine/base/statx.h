// Linux's statx(), for C libraries that have no function of it, too: musl before 1.2.5.
#ifndef DYNOLITH_ENGINE_BASE_STATX_H_
#define DYNOLITH_ENGINE_BASE_STATX_H_

#include <fcntl.h>
#include <sys/stat.h>
#ifndef __GLIBC__
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <string>

#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000
#endif

namespace dynolith {

// Returns 0 and fills `facts`, or returns -1 and sets errno, as statx(2) does.
inline int Statx(int folder, const std::string& path, int flags, unsigned int mask,
                 struct statx& facts) {
#ifdef __GLIBC__
  return statx(folder, path.c_str(), flags, mask, &facts);
#else
  return static_cast<int>(syscall(SYS_statx, folder, path.c_str(), flags, mask, &facts));
#endif
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_STATX_H_
