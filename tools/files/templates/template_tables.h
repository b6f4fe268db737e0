// Tables of CloudFormation templates as designs.
#ifndef DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_TABLES_H_
#define DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_TABLES_H_

#include <map>
#include <string>
#include <vector>

#include "engine/base/json_tree.h"
#include "tools/files/table/findings.h"
#include "tools/files/table/read_options.h"
#include "tools/files/table/table_design.h"

namespace dynolith::designs {

// Whether it is one: Resources of which one has a type, or is made by a loop.
bool IsTemplate(const JsonTree& tree);

// A template that another one names as a stack of its own.
struct NestedTemplate {
  std::string path;    // as it is written
  FileLocation place;  // where
  // What the other one says of its parameters.
  std::map<std::string, std::string> parameters;
};

struct TemplateContents {
  std::vector<TableDesign> tables;
  std::vector<NestedTemplate> nested;
};

// AWS::DynamoDB::Table, AWS::DynamoDB::GlobalTable, of which the replica of the region is taken,
// AWS::Serverless::SimpleTable, and the stacks in it. Resources of other types are warned of in one
// line; what stands at a table and cannot be done is an error. `is_part`: there are resources
// besides. Requires: IsTemplate(tree).
TemplateContents ReadTemplateTables(const std::string& file, const JsonTree& tree,
                                    const ReadOptions& options, bool is_part, Findings* findings);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_TABLES_H_
