// A file as one text, whatever stands under its name.
#ifndef DYNOLITH_ENGINE_BASE_FILE_TEXT_H_
#define DYNOLITH_ENGINE_BASE_FILE_TEXT_H_

#include <string>

namespace dynolith {

struct FileText {
  std::string text;  // as far as it could be read
  int error = 0;     // errno of what could not be done; EISDIR for a folder
};

// Not by a stream: one throws at a folder, and does not tell errors of reading from the end.
FileText ReadFileText(const std::string& file);

// Whether something has this name, also if that cannot be told, which <filesystem> throws at: what
// opens it then says why it cannot be opened.
bool MayBeThere(const std::string& file);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_FILE_TEXT_H_
