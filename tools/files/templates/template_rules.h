// Rules of CloudFormation templates: assertions about the parameters.
#ifndef DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_RULES_H_
#define DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_RULES_H_

#include <string>

#include "engine/text/json_tree.h"
#include "tools/files/table/findings.h"
#include "tools/files/templates/template_values.h"

namespace dynolith::designs {

// Evaluates all rules, as CloudFormation does before it makes anything: a failed assertion is an
// error, and so is an invalid rule or one that depends on a missing value. A rule that depends on a
// parameter store is a warning.
void CheckRules(const std::string& file, const JsonTree& document, TemplateValues* values,
                Findings* findings);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_RULES_H_
