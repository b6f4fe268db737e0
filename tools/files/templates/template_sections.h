// Sections of CloudFormation templates: which there are, and the transforms and macros that would
// make others of them.
#ifndef DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_SECTIONS_H_
#define DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_SECTIONS_H_

#include <string>
#include <string_view>

#include "engine/base/json_tree.h"
#include "tools/files/table/findings.h"
#include "tools/files/table/read_options.h"

namespace dynolith::designs {

// {"Fn::Transform": {"Name": "Macro"}}: what a macro makes of the part of a template around it.
inline constexpr std::string_view kMacro = "Fn::Transform";

// An error, or, if `name` is left out on purpose, a warning.
void Refuse(const ReadOptions& options, FileLocation place, std::string_view name,
            std::string_view why, Findings* findings);
// The same of a macro. `call`: what stands behind Fn::Transform.
void RefuseMacro(const std::string& file, const ReadOptions& options, const JsonTree& call,
                 Findings* findings);

// Refuses sections that there are not, that are no maps, or that a transform or a macro makes. What
// is left out on purpose is taken out of the document.
void CheckSections(const std::string& file, const ReadOptions& options, JsonTree* document,
                   Findings* findings);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_SECTIONS_H_
