// Parameters of CloudFormation templates: their types, and what their values have to be.
#ifndef DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_PARAMETERS_H_
#define DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_PARAMETERS_H_

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/json_tree.h"
#include "tools/files/table/findings.h"
#include "tools/files/table/read_options.h"

namespace dynolith::designs {

// The texts between the commas, without spaces around them.
JsonTree SplitAtCommas(std::string_view text);

// nullptr: the document has none of this name.
const JsonTree* FindParameter(const JsonTree& document, const std::string& name);

// Whether its value is a list.
bool IsListParameter(const JsonTree& parameter);
// Whether its value is what a parameter store holds.
bool IsStoredParameter(const JsonTree& parameter);

// What Ref gives of a parameter: a text, or a list of texts where its type is one. nullopt: nobody
// gives it a value, and it has no Default, or one that names what a parameter store holds.
std::optional<JsonTree> ParameterValue(const JsonTree& parameter,
                                       const std::optional<std::string>& given);

// All of a document's: their properties and types, and whether each value that is known satisfies
// the constraints. What a parameter store holds is not checked, nor whether a key or a subnet is
// there.
void CheckParameters(const std::string& file, const JsonTree& document, const ReadOptions& options,
                     Findings* findings);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_PARAMETERS_H_
