// Properties of AWS::DynamoDB::Table, AWS::DynamoDB::GlobalTable and AWS::Serverless::SimpleTable
// as calls of the service.
#ifndef DYNOLITH_TOOLS_FILES_TEMPLATES_TABLE_PROPERTIES_H_
#define DYNOLITH_TOOLS_FILES_TEMPLATES_TABLE_PROPERTIES_H_

#include <string>
#include <string_view>

#include "engine/text/json_tree.h"
#include "tools/files/table/findings.h"
#include "tools/files/table/table_design.h"

namespace dynolith::designs {

inline constexpr std::string_view kTableType = "AWS::DynamoDB::Table";
inline constexpr std::string_view kGlobalTableType = "AWS::DynamoDB::GlobalTable";
inline constexpr std::string_view kSimpleTableType = "AWS::Serverless::SimpleTable";

// Adds the properties to `design`, whose name is known; functions are resolved. For a global table
// it is the table of `region`, and has the other replicas. An unsupported property is an error; in
// another replica it is one of the replica's findings.
void ReadTableProperties(const std::string& file, std::string_view type, const std::string& region,
                         JsonTree properties, TableDesign* design, Findings* findings);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_TABLE_PROPERTIES_H_
