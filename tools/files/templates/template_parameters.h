// Parameters of CloudFormation templates: their types and the constraints of their values.
#ifndef DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_PARAMETERS_H_
#define DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_PARAMETERS_H_

#include <optional>
#include <string>
#include <string_view>

#include "engine/text/json_tree.h"
#include "tools/files/table/findings.h"
#include "tools/files/table/read_options.h"

namespace dynolith::designs {

// The texts between the commas, without spaces around them.
JsonTree SplitAtCommas(std::string_view text);

// nullptr: not in the document.
const JsonTree* FindParameter(const JsonTree& document, const std::string& name);

// Whether its value is a list.
bool IsListParameter(const JsonTree& parameter);
// Whether its value comes from a parameter store.
bool IsStoredParameter(const JsonTree& parameter);

// The value of Ref for a parameter: a text, or a list of texts if its type is one. nullopt: it has
// no given value, and no Default, or one that names an entry of a parameter store.
std::optional<JsonTree> ParameterValue(const JsonTree& parameter,
                                       const std::optional<std::string>& given);

// Checks all of a document's: their properties and types, and whether each known value satisfies
// the constraints. Values in a parameter store are not checked, nor whether a key or a subnet
// exists.
void CheckParameters(const std::string& file, const JsonTree& document, const ReadOptions& options,
                     Findings* findings);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_PARAMETERS_H_
