// The files that the commands of `dynolith lab` write.
#ifndef DYNOLITH_TOOLS_PROGRAM_LAB_OUTPUTS_H_
#define DYNOLITH_TOOLS_PROGRAM_LAB_OUTPUTS_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace dynolith {

absl::Status WriteTextFile(const std::string& file, std::string_view text);
// Checks before a long run whether its result can be written there; empty: it is not written.
absl::Status CheckWritable(const std::string& file);
// Makes a folder and its missing parents; empty: none.
absl::Status MakeFolder(const std::string& folder);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_LAB_OUTPUTS_H_
