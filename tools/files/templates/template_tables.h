// Tables of CloudFormation templates as designs.
#ifndef DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_TABLES_H_
#define DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_TABLES_H_

#include <map>
#include <string>
#include <vector>

#include "engine/text/json_tree.h"
#include "tools/files/table/findings.h"
#include "tools/files/table/read_options.h"
#include "tools/files/table/table_design.h"

namespace dynolith::designs {

// Whether the tree is a template: some of its Resources has a type, or is made by a loop.
bool IsTemplate(const JsonTree& tree);

// A template of a nested stack.
struct NestedTemplate {
  std::string path;    // as it is written
  FileLocation place;  // where
  // The parameters that the outer template gives.
  std::map<std::string, std::string> parameters;
};

struct TemplateContents {
  std::vector<TableDesign> tables;
  std::vector<NestedTemplate> nested;
};

// Reads AWS::DynamoDB::Table, the region's replica of AWS::DynamoDB::GlobalTable,
// AWS::Serverless::SimpleTable, and nested stacks. One warning names resources of other types; an
// unsupported part of a table is an error. `is_part`: other resources are expected. Requires:
// IsTemplate(tree).
TemplateContents ReadTemplateTables(const std::string& file, const JsonTree& tree,
                                    const ReadOptions& options, bool is_part, Findings* findings);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_TABLES_H_
