// Parses YAML into the tree of JSON. The only file that sees yaml-cpp.
#ifndef DYNOLITH_TOOLS_FILES_DESIGN_YAML_TREE_H_
#define DYNOLITH_TOOLS_FILES_DESIGN_YAML_TREE_H_

#include <optional>
#include <string>

#include "engine/text/json_tree.h"

namespace dynolith::designs {

struct YamlError {
  JsonLocation place;
  std::string reason;
};

// Parses a single document. Short tags of CloudFormation become their long form: `!Ref A` is
// {"Ref": "A"}, `!GetAtt A.Arn` {"Fn::GetAtt": ["A", "Arn"]}, `!Sub t` {"Fn::Sub": "t"}. Plain
// numbers, true, false and null are words as in JSON, all other scalars texts; aliases are copies,
// and `<<` adds members. nullopt: it is not YAML, has a name twice in a map, or its aliases grow
// beyond a bound.
std::optional<JsonTree> ParseYaml(const std::string& text, YamlError* yaml_error);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_DESIGN_YAML_TREE_H_
