// Warnings and errors about loaded files, with their locations.
#ifndef DYNOLITH_TOOLS_FILES_TABLE_FINDINGS_H_
#define DYNOLITH_TOOLS_FILES_TABLE_FINDINGS_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "engine/text/json_tree.h"

namespace dynolith::designs {

// Lines and columns count from 1; 0: the whole file, or line.
struct FileLocation {
  std::string file;
  size_t line = 0;
  size_t column = 0;
};

// The beginning of a value; for a member, that of its name.
inline FileLocation LocationInFile(const std::string& file, const JsonTree& tree) {
  if (tree.name_line > 0) return {file, tree.name_line, tree.name_column};
  return {file, tree.line, tree.column};
}

struct Finding {
  FileLocation place;
  std::string text;
  bool is_error = false;
};

// Not thread-safe.
class Findings {
 public:
  void Warn(FileLocation place, std::string text) {
    list_.push_back({std::move(place), std::move(text), false});
  }
  void Fail(FileLocation place, std::string text) {
    list_.push_back({std::move(place), std::move(text), true});
    ++errors_;
  }
  // In the order in which they were found.
  const std::vector<Finding>& list() const { return list_; }
  size_t errors() const { return errors_; }

 private:
  std::vector<Finding> list_;
  size_t errors_ = 0;
};

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TABLE_FINDINGS_H_
