// Which files a load reads: those that are named, those of folders, those of exports.
#ifndef DYNOLITH_TOOLS_FILES_DESIGN_FILES_TO_LOAD_H_
#define DYNOLITH_TOOLS_FILES_DESIGN_FILES_TO_LOAD_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tools/files/table/findings.h"

namespace dynolith::designs {

struct FilesToLoad {
  std::vector<std::string> files;  // each once
  // The tables from which files were exported, as their manifests say.
  std::map<std::string, std::string> exported_from;
  bool is_over = false;  // before all had been found
};

// Of folders the files that could be read, by name. Of an export those that its manifests name,
// whether its folder or a manifest is named; they are compared with their checksums. What has no
// items, as a checksum of a manifest, is passed over. `is_over`: as of ReadExportFolder.
FilesToLoad FindFiles(const std::vector<std::string>& named, const std::function<bool()>& is_over,
                      Findings* findings);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_DESIGN_FILES_TO_LOAD_H_
