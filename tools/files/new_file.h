// A file that is written from its beginning to its end, with the reason if that fails.
#ifndef DYNOLITH_TOOLS_FILES_NEW_FILE_H_
#define DYNOLITH_TOOLS_FILES_NEW_FILE_H_

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace dynolith::designs {

// For one thread.
class NewFile {
 public:
  // Replaces an existing file. A failure is that of Close.
  explicit NewFile(std::string path);

  // False once something has failed: what follows is not written.
  bool Write(std::string_view text);
  // Call it once, after everything else. Errors: what failed first, with the file's name.
  absl::Status Close();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  const std::string path_;
  int error_ = 0;
  std::unique_ptr<std::FILE, Closer> file_;
};

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_NEW_FILE_H_
