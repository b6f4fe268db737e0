// Functions of CloudFormation templates that depend only on their argument.
#ifndef DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_FUNCTIONS_H_
#define DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_FUNCTIONS_H_

#include <optional>
#include <string>
#include <string_view>

#include "engine/text/json_tree.h"

namespace dynolith::designs {

// The value of Fn::Base64, Fn::Cidr, Fn::Join, Fn::Length, Fn::Select, Fn::Split or
// Fn::ToJsonString, whose argument is resolved. nullopt: `error` has the reason.
using TemplateFunction = std::optional<JsonTree> (*)(const JsonTree& argument, std::string* error);

// "Join" for Fn::Join. nullptr: another function.
TemplateFunction FindTemplateFunction(std::string_view name);

// Whether CloudFormation accepts it only with Transform: AWS::LanguageExtensions.
bool IsExtension(std::string_view name);

// The function of CloudFormation with the most similar name; empty: none.
std::string NearestFunction(std::string_view name);
bool IsFunctionName(std::string_view name);
// "RefAll": whether it is allowed only in Rules.
bool IsRuleFunction(std::string_view name);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_FUNCTIONS_H_
