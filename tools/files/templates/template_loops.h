// Fn::ForEach of CloudFormation templates.
#ifndef DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_LOOPS_H_
#define DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_LOOPS_H_

#include <string_view>

#include "engine/base/json_tree.h"
#include "tools/files/templates/template_values.h"

namespace dynolith::designs {

// What the name of a loop begins with, where a resource, a condition or a property stands.
inline constexpr std::string_view kLoopPrefix = "Fn::ForEach::";

// Replaces each loop in the document's Conditions and Resources, also in those of other loops and
// in properties, by what it makes. `values` may be of this document. A loop of which that is not
// known goes to `unknown` and is taken out.
void ExpandLoops(JsonTree* document, TemplateValues* values,
                 TemplateValues::UnknownValues* unknown);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_LOOPS_H_
