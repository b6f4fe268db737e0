// Which names there may be where the service itself is not given what a template says.
#ifndef DYNOLITH_TOOLS_FILES_TEMPLATES_PROPERTY_NAMES_H_
#define DYNOLITH_TOOLS_FILES_TEMPLATES_PROPERTY_NAMES_H_

#include <string>
#include <vector>

#include "engine/base/json_tree.h"
#include "tools/files/table/findings.h"

namespace dynolith::designs {

// Says of each other member that there is none, and of what is no map that it is none. Functions
// are resolved.
void CheckNames(const std::string& file, const std::vector<std::string>& known, const JsonTree& map,
                Findings* findings);
// Takes them out besides, so that nobody says it once more.
void KeepNames(const std::string& file, const std::vector<std::string>& known, JsonTree* map,
               Findings* findings);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_PROPERTY_NAMES_H_
