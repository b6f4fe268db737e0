// The files of a module that has no file system: what its host gives before a command, and what the
// command writes. Not thread-safe, as the module has one thread.
#ifndef DYNOLITH_TOOLS_PORTABLE_GIVEN_FILES_H_
#define DYNOLITH_TOOLS_PORTABLE_GIVEN_FILES_H_

#include <string>
#include <vector>

namespace dynolith {

struct WrittenFile {
  std::string name;
  std::string text;
};

// Given and written ones are read by engine/base/file_text.h, which has other functions here.
void GiveFile(std::string name, std::string text);
// In the order of their writing.
const std::vector<WrittenFile>& WrittenFiles();
// The last file that was to be read and had not been given; empty: there was none.
std::string MissedFile();

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PORTABLE_GIVEN_FILES_H_
