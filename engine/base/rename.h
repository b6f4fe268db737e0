// rename() with Linux's flags, for C libraries that have no function of it, too: musl.
#ifndef DYNOLITH_ENGINE_BASE_RENAME_H_
#define DYNOLITH_ENGINE_BASE_RENAME_H_

#include <fcntl.h>
#include <stdio.h>
#ifndef __GLIBC__
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <string>

namespace dynolith {

// `flags`: RENAME_EXCHANGE and so on, or 0. Returns 0, or -1 and sets errno, as renameat2(2) does.
inline int Rename(const std::string& from, const std::string& to, unsigned int flags) {
#ifdef __GLIBC__
  return renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags);
#else
  return static_cast<int>(
      syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags));
#endif
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_RENAME_H_
