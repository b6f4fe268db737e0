// A file as one text, whatever kind of file it is.
#ifndef DYNOLITH_ENGINE_BASE_FILE_TEXT_H_
#define DYNOLITH_ENGINE_BASE_FILE_TEXT_H_

#include <string>

namespace dynolith {

struct FileText {
  std::string text;  // as far as it could be read
  int error = 0;     // errno of what could not be done; EISDIR for a folder
};

// Does not use a stream: that throws at a folder, and does not distinguish read errors from the
// end.
FileText ReadFileText(const std::string& file);

// Whether something has this name, or that cannot be determined, for which <filesystem> throws:
// opening the file then gives the reason.
bool MayBeThere(const std::string& file);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_FILE_TEXT_H_
