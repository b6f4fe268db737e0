// A file as one text: read, whatever kind of file it is, and replaced.
#ifndef DYNOLITH_ENGINE_BASE_FILE_TEXT_H_
#define DYNOLITH_ENGINE_BASE_FILE_TEXT_H_

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace dynolith {

struct FileText {
  std::string text;  // as far as it could be read
  int error = 0;     // errno of what could not be done; EISDIR for a folder
};

// Does not use a stream: that throws at a folder, and does not distinguish read errors from the
// end. EFBIG for more than `bytes_max`: a device may have no end.
FileText ReadFileText(const std::string& file,
                      size_t bytes_max = std::numeric_limits<size_t>::max());

// Replaces the file by one with that text, durably, or leaves it as it is. The text is first
// written to FILE.new, which a process that is killed leaves behind. Returns 0 or errno; after an
// error of the folder's synchronization the file may already be the new one.
int ReplaceFileText(const std::string& file, std::string_view text);

// Makes durable which files the file's folder has. Returns 0 or errno.
int SynchronizeFolderOf(const std::string& file);

// Whether something has this name, or that cannot be determined, for which <filesystem> throws:
// opening the file then gives the reason.
bool MayBeThere(const std::string& file);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_BASE_FILE_TEXT_H_
