// The texts of the lab in the module.
#ifndef DYNOLITH_TOOLS_PORTABLE_MESSAGES_H_
#define DYNOLITH_TOOLS_PORTABLE_MESSAGES_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline const char* LabOfModule() {
  return "Experiments on hot partitions, sharding, capacity and what they cost";
}
inline const char* LabOfProgramAlone() {
  return "This is the portable build, without a file system or a network of its own:\n"
         "measure, probe, trace and bill are the native program's, and so are traces and\n"
         "models that an experiment names.\n"
         "Examples:\n"
         "  dynolith lab list\n"
         "  dynolith lab simulate celebrity\n"
         "  dynolith lab advise shop.toml";
}
inline std::string LabNotGiven(std::string_view file) {
  return Concat("dynolith: this portable build has no file system, and reads only files that are ",
                "words of the command: not ", file, "\n");
}
inline const char* LabHasRun() { return "it has run its one command of the lab"; }

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_PORTABLE_MESSAGES_H_
