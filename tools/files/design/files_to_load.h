// Finds the files of a load: named files, and those of folders and of exports.
#ifndef DYNOLITH_TOOLS_FILES_DESIGN_FILES_TO_LOAD_H_
#define DYNOLITH_TOOLS_FILES_DESIGN_FILES_TO_LOAD_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tools/files/table/findings.h"

namespace dynolith::designs {

// The ending of files of a dump that has not reached its end; they are an error.
inline constexpr std::string_view kUnfinishedEnding = ".unfinished";

struct FilesToLoad {
  std::vector<std::string> files;  // each once
  // The tables from which files were exported, by their manifests.
  std::map<std::string, std::string> exported_from;
  bool is_over = false;  // ended before all had been found
};

// A folder stands for its readable files, by name. An export, given by its folder or a manifest,
// stands for the files that its manifests name, which are compared with their checksums. Files
// without items, such as the checksum of a manifest, are skipped. `is_over`: as in
// ReadExportFolder.
FilesToLoad FindFiles(const std::vector<std::string>& named, const std::function<bool()>& is_over,
                      Findings* findings);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_DESIGN_FILES_TO_LOAD_H_
