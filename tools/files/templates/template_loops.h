// Fn::ForEach of CloudFormation templates.
#ifndef DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_LOOPS_H_
#define DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_LOOPS_H_

#include <string_view>

#include "engine/text/json_tree.h"
#include "tools/files/templates/template_values.h"

namespace dynolith::designs {

// The beginning of a loop's name, which replaces that of a resource, a condition or a property.
inline constexpr std::string_view kLoopPrefix = "Fn::ForEach::";

// Replaces each loop in the document's Conditions and Resources, also in other loops and in
// properties, by its result. `values` may be of this document. A loop with an unknown result is
// added to `unknown` and removed.
void ExpandLoops(JsonTree* document, TemplateValues* values,
                 TemplateValues::UnknownValues* unknown);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_LOOPS_H_
