// The texts of this room.
#ifndef DYNOLITH_ENGINE_PROCESS_MESSAGES_H_
#define DYNOLITH_ENGINE_PROCESS_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string ThreadNotStarted(std::string_view reason) {
  return Concat(
      "cannot start a thread (too many: ulimit -u, pids.max of the control group; or no memory: "
      "ulimit -v): ",
      reason);
}
inline std::string NoThreads() {
  return "this build of Dynolith has no threads: what needs one of its own cannot be done here";
}
// These two are said when nothing can be allocated.
inline const char* WaitWithoutEnd() {
  return "a call waits for what nobody will do, since this build of Dynolith has no threads";
}
inline const char* MemoryExhausted() { return "its memory, of 4 GB at most, is exhausted"; }
inline std::string DatabaseOfParent(int64_t parent, int64_t process) {
  return Concat("process ", parent, " opened this database, and process ", process,
                " is a fork of it: it cannot use it, and may open a database of its own");
}
inline std::string MemoryBudgetTooSmall(size_t bytes, size_t least) {
  return Concat("a memory budget of ", bytes, " bytes is too small: give at least ", least >> 20,
                "MB, or less memory to what has been given a part of its own");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_PROCESS_MESSAGES_H_
