// Sections of CloudFormation templates: the valid ones, and the transforms and macros that would
// replace them.
#ifndef DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_SECTIONS_H_
#define DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_SECTIONS_H_

#include <string>
#include <string_view>

#include "engine/text/json_tree.h"
#include "tools/files/table/findings.h"
#include "tools/files/table/read_options.h"

namespace dynolith::designs {

// {"Fn::Transform": {"Name": "Macro"}}, by which a macro replaces the part of a template around it.
inline constexpr std::string_view kMacro = "Fn::Transform";

// Adds an error, or a warning if the options leave `name` out.
void Refuse(const ReadOptions& options, FileLocation place, std::string_view name,
            std::string_view why, Findings* findings);
// The same for a macro. `call`: the value of Fn::Transform.
void RefuseMacro(const std::string& file, const ReadOptions& options, const JsonTree& call,
                 Findings* findings);

// Refuses sections that are unknown, not maps, or made by a transform or a macro. Removes the parts
// that the options leave out from the document.
void CheckSections(const std::string& file, const ReadOptions& options, JsonTree* document,
                   Findings* findings);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_SECTIONS_H_
