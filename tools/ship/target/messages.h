// The texts about places that stores are shipped to.
#ifndef DYNOLITH_TOOLS_SHIP_TARGET_MESSAGES_H_
#define DYNOLITH_TOOLS_SHIP_TARGET_MESSAGES_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- URLs and names

inline std::string ShipUrlOdd(std::string_view url) {
  return Concat("'", url, "' is no place to ship to: give a folder's path, or file:///PATH");
}
inline std::string ShipNameInvalid(std::string_view name) {
  return Concat("'", name,
                "' is no name of an object: names are parts of A-Z a-z 0-9 . _ - with a / between "
                "them");
}

// --- local files

inline std::string ShipFileUnread(std::string_view file, std::string_view reason) {
  return Concat("cannot read ", file, ": ", reason);
}
inline std::string ShipFileUnwritten(std::string_view file, std::string_view reason) {
  return Concat("cannot write ", file, ": ", reason);
}
inline std::string ShipNoRegularFile() { return "it is no regular file"; }
// `file`: whose bytes are put.
inline std::string ShipFileChanges(std::string_view file) {
  return Concat(file, " has changed while it was copied");
}

// --- targets; `target`: as it describes itself

// `object`: a name, empty for the target itself.
inline std::string ShipFailed(std::string_view what, std::string_view object,
                              std::string_view target, std::string_view reason) {
  return Concat("cannot ", what, " ", object, object.empty() ? "" : " in ", target, ": ", reason);
}
inline std::string ShipInterrupted() { return "interrupted"; }
inline std::string ShipObjectTooLarge(size_t bytes_max) {
  return Concat("it has more than ", bytes_max, " bytes");
}
inline std::string ShipObjectMissing() { return "there is no such object"; }
inline std::string ShipObjectCut() { return "it became shorter while it was read"; }
// `mark`: a folder in it.
inline std::string ShipFolderAway(std::string_view mark) {
  return Concat("the folder is away: there is no ", mark, " in it any more");
}
inline std::string ShipNeitherLinksNorRenames() {
  return "its file system can neither link files nor rename them without replacing others";
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_SHIP_TARGET_MESSAGES_H_
