// Functions of CloudFormation templates that need nothing but their argument.
#ifndef DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_FUNCTIONS_H_
#define DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_FUNCTIONS_H_

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/json_tree.h"

namespace dynolith::designs {

// The value of Fn::Base64, Fn::Cidr, Fn::Join, Fn::Length, Fn::Select, Fn::Split or
// Fn::ToJsonString, whose argument has no functions any more. nullopt: `fault` says why.
using TemplateFunction = std::optional<JsonTree> (*)(const JsonTree& argument, std::string* fault);

// "Join" for Fn::Join. nullptr: it is none of these.
TemplateFunction FindTemplateFunction(std::string_view name);

// Whether CloudFormation takes it only with Transform: AWS::LanguageExtensions.
bool IsExtension(std::string_view name);

// The function of CloudFormation whose name is most like this one; empty: none.
std::string NearestFunction(std::string_view name);
bool IsFunctionName(std::string_view name);
// "RefAll": of those that stand in Rules only.
bool IsRuleFunction(std::string_view name);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_FUNCTIONS_H_
