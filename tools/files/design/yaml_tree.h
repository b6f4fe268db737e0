// YAML as the tree that JSON is read into. The only file that sees yaml-cpp.
#ifndef DYNOLITH_TOOLS_FILES_DESIGN_YAML_TREE_H_
#define DYNOLITH_TOOLS_FILES_DESIGN_YAML_TREE_H_

#include <optional>
#include <string>

#include "engine/base/json_tree.h"

namespace dynolith::designs {

struct YamlError {
  JsonLocation place;
  std::string reason;
};

// The only document. Short tags of CloudFormation become what they stand for: `!Ref A` is
// {"Ref": "A"}, `!GetAtt A.Arn` {"Fn::GetAtt": ["A", "Arn"]}, `!Sub t` {"Fn::Sub": "t"}. Plain
// numbers, true, false and null are words as in JSON, all other scalars texts; aliases are copies,
// and `<<` adds members. nullopt for what is no YAML, has a name twice in a map, or
// grows beyond all measure.
std::optional<JsonTree> ParseYaml(const std::string& text, YamlError* fault);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_DESIGN_YAML_TREE_H_
