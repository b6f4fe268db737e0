// Locations in trees that are composed of several files.
#ifndef DYNOLITH_TOOLS_FILES_DESIGN_SOURCE_FILES_H_
#define DYNOLITH_TOOLS_FILES_DESIGN_SOURCE_FILES_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "engine/text/json_tree.h"
#include "tools/files/table/findings.h"

namespace dynolith::designs {

// The lines of the n-th further file begin at n * 2^32, so that a location in any file is still a
// line and a column.
class SourceFiles {
 public:
  explicit SourceFiles(std::string first) : files_({std::move(first)}) {}

  const std::string& first() const { return files_.front(); }
  void Add(std::string file, JsonTree* tree) {
    Shift(files_.size() * kLines, tree);
    files_.push_back(std::move(file));
  }
  // Converts a location that names the first file to the file and line that it stands for.
  void Correct(FileLocation* place) const {
    const size_t index = place->line / kLines;
    if (place->file != first() || index == 0 || index >= files_.size()) return;
    place->file = files_[index];
    place->line %= kLines;
  }

 private:
  static constexpr size_t kLines = size_t{1} << 32;

  static void Shift(size_t lines, JsonTree* tree) {
    tree->line += lines;
    if (tree->name_line > 0) tree->name_line += lines;
    for (JsonTree& element : tree->elements) Shift(lines, &element);
    for (JsonTree::Member& member : tree->members) Shift(lines, &member.value);
  }

  std::vector<std::string> files_;
};

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_DESIGN_SOURCE_FILES_H_
