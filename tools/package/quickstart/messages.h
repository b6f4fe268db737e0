// The texts of `dynolith quickstart` about its files.
#ifndef DYNOLITH_TOOLS_PACKAGE_QUICKSTART_MESSAGES_H_
#define DYNOLITH_TOOLS_PACKAGE_QUICKSTART_MESSAGES_H_

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

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_PACKAGE_QUICKSTART_MESSAGES_H_
