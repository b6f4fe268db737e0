// AWS::Serverless::SimpleTable: SAM's expansion.
#ifndef DYNOLITH_TOOLS_FILES_TEMPLATES_SIMPLE_TABLE_H_
#define DYNOLITH_TOOLS_FILES_TEMPLATES_SIMPLE_TABLE_H_

#include <string>

#include "engine/text/json_tree.h"
#include "tools/files/table/findings.h"
#include "tools/files/table/read_options.h"

namespace dynolith::designs {

// The properties of the AWS::DynamoDB::Table; functions are resolved.
JsonTree ExpandSimpleTable(const std::string& file, JsonTree simple, Findings* findings);

// Adds the properties in Globals for all simple tables of the document to those of one, which win.
// `ignored`: its IgnoreGlobals, "*" or a list of names; nullptr: none.
void AddGlobals(const JsonTree& document, const JsonTree* ignored, JsonTree* properties);
// Reports sections of Globals, and properties of simple tables there, that SAM does not accept.
void CheckGlobals(const std::string& file, const JsonTree& document, const ReadOptions& options,
                  Findings* findings);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_SIMPLE_TABLE_H_
