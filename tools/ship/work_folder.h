// Where shipping keeps what it needs of a store's folder: links to logs that the store has deleted,
// and the checkpoint of which the next base is made.
#ifndef DYNOLITH_TOOLS_SHIP_WORK_FOLDER_H_
#define DYNOLITH_TOOLS_SHIP_WORK_FOLDER_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::ship {

// In the store's folder, since links stay on one file system.
inline std::string WorkFolder(std::string_view store) { return Concat(store, "/shipping"); }
inline std::string CheckpointFolder(std::string_view store) {
  return Concat(WorkFolder(store), "/checkpoint");
}

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_WORK_FOLDER_H_
