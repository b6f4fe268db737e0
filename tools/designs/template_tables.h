// Tables of CloudFormation templates as designs.
#ifndef DYNOLITH_TOOLS_DESIGNS_TEMPLATE_TABLES_H_
#define DYNOLITH_TOOLS_DESIGNS_TEMPLATE_TABLES_H_

#include <map>
#include <string>
#include <vector>

#include "engine/base/json_tree.h"
#include "tools/designs/findings.h"
#include "tools/designs/table_design.h"

namespace dynolith::designs {

// Whether it is one: Resources that have types.
bool IsTemplate(const JsonTree& tree);

// AWS::DynamoDB::Table and AWS::DynamoDB::GlobalTable, of which the replica of `region` is taken.
// `parameters` are values of parameters and references. Resources of other types are warned of in
// one line. Requires: IsTemplate(tree).
std::vector<TableDesign> ReadTemplateTables(const std::string& file, const JsonTree& tree,
                                            const std::map<std::string, std::string>& parameters,
                                            const std::string& region, Findings* findings);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_DESIGNS_TEMPLATE_TABLES_H_
