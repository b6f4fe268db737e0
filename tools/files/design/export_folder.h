// Exports of the service in a folder, by their manifests:
//
//   full         = folder "/data/" name ".json.gz"         ; ".ion.gz"
//   incremental  = folder "/../data/" name ".json.gz"
//   both         = folder "/" ( "_started" | "manifest-summary.json" | "manifest-files.json"
//                  | the checksums of both: ".md5", or ".checksum" as the developer guide has it )
#ifndef DYNOLITH_TOOLS_FILES_DESIGN_EXPORT_FOLDER_H_
#define DYNOLITH_TOOLS_FILES_DESIGN_EXPORT_FOLDER_H_

#include <functional>
#include <string>
#include <vector>

#include "tools/files/table/findings.h"

namespace dynolith::designs {

// Whether an export has a file of this name beside its data.
bool IsNameOfExport(const std::string& file);

// Whether the folder contains an export, or the remains of one.
bool IsExportFolder(const std::string& folder);

struct ExportedFiles {
  std::string table;               // the exported table; empty: the manifest does not name it
  std::vector<std::string> files;  // with items, or changes
  std::vector<std::string> empty;  // without any
  bool is_over = false;            // whether reading ended early
};

// All data files that the manifests name, each compared with its MD5: reads them all. Missing,
// damaged and wrongly described files go to `findings`. `is_over` may be empty; when it returns
// true, reading ends early, without a finding. Requires: IsExportFolder(folder).
ExportedFiles ReadExportFolder(const std::string& folder, const std::function<bool()>& is_over,
                               Findings* findings);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_DESIGN_EXPORT_FOLDER_H_
