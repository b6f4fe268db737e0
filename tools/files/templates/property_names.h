// Valid names of template properties that are not passed to the service.
#ifndef DYNOLITH_TOOLS_FILES_TEMPLATES_PROPERTY_NAMES_H_
#define DYNOLITH_TOOLS_FILES_TEMPLATES_PROPERTY_NAMES_H_

#include <string>
#include <vector>

#include "engine/text/json_tree.h"
#include "tools/files/table/findings.h"

namespace dynolith::designs {

// Reports each other member as unknown, and a value that is no map. Functions are resolved.
void CheckNames(const std::string& file, const std::vector<std::string>& known, const JsonTree& map,
                Findings* findings);
// Also removes them, so that they are not reported again.
void KeepNames(const std::string& file, const std::vector<std::string>& known, JsonTree* map,
               Findings* findings);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_PROPERTY_NAMES_H_
