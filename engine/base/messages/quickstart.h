// What `dynolith quickstart` says by itself.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_QUICKSTART_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_QUICKSTART_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string ExampleFolderInUse(std::string_view folder) {
  return Concat(folder, " is not a folder that is new or empty: give another --files");
}
inline std::string ExampleUnwritten(std::string_view path) {
  return Concat("could not write ", path, ": is there space, and may this user write there?");
}
inline std::string ExampleHasNoPlace() {
  return "there is no folder for temporary files: set TMPDIR, or give --files DIR";
}
inline std::string ExampleFilesKept(std::string_view folder) {
  return Concat("Its files are in ", folder, "; dynolith load takes them, too.\n");
}
inline std::string ExampleStays(std::string_view folder) {
  return Concat("Ctrl-C ends it. What you change stays in ", folder, ".\n");
}
inline std::string ExampleGoes() {
  return "Ctrl-C ends it, and all is gone; with --data DIR it stays.\n";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_QUICKSTART_H_
