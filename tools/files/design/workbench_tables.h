// Tables of NoSQL Workbench models as designs, with the rows of their samples as items.
#ifndef DYNOLITH_TOOLS_FILES_DESIGN_WORKBENCH_TABLES_H_
#define DYNOLITH_TOOLS_FILES_DESIGN_WORKBENCH_TABLES_H_

#include <string>
#include <vector>

#include "engine/text/json_tree.h"
#include "tools/files/table/findings.h"
#include "tools/files/table/table_design.h"

namespace dynolith::designs {

// Requires: workbench::IsModel(model). Auto scaling is a warning.
std::vector<TableDesign> ReadWorkbenchTables(const std::string& file, const JsonTree& model,
                                             Findings* findings);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_DESIGN_WORKBENCH_TABLES_H_
