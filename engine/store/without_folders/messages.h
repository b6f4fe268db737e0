// The text of what a library without folders refuses.
#ifndef DYNOLITH_ENGINE_STORE_WITHOUT_FOLDERS_MESSAGES_H_
#define DYNOLITH_ENGINE_STORE_WITHOUT_FOLDERS_MESSAGES_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// `what`: "a database in the folder x".
inline std::string BuiltWithoutFolders(std::string_view what) {
  return Concat("this build of Dynolith has databases in memory only, and so cannot have ", what,
                ": leave it out, or use the native library");
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_STORE_WITHOUT_FOLDERS_MESSAGES_H_
