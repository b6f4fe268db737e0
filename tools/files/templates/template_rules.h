// Rules of CloudFormation templates: what a template asserts of its parameters.
#ifndef DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_RULES_H_
#define DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_RULES_H_

#include <string>

#include "engine/base/json_tree.h"
#include "tools/files/table/findings.h"
#include "tools/files/templates/template_values.h"

namespace dynolith::designs {

// Evaluates all rules, as CloudFormation does before it makes anything: an assertion that does not
// hold is an error, and so is a rule that is written wrongly or that hangs on what nobody gives a
// value. What only a parameter store could tell is warned of.
void CheckRules(const std::string& file, const JsonTree& document, TemplateValues* values,
                Findings* findings);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_RULES_H_
