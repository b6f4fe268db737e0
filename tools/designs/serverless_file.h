// serverless.yml: variables, and the templates among its resources.
#ifndef DYNOLITH_TOOLS_DESIGNS_SERVERLESS_FILE_H_
#define DYNOLITH_TOOLS_DESIGNS_SERVERLESS_FILE_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/json_tree.h"

namespace dynolith::designs {

// Whether it is one: a provider, and resources.
bool IsServerlessFile(const JsonTree& tree);

struct ServerlessPart {
  // A template; its variables have their values, as far as they are known.
  JsonTree tree;
  // Instead: another file that holds it, as `${file(tables.yml)}` says.
  std::string file;
};

// The templates, with the parts of one list made one. `parameters` are values of variables:
// "opt:stage", "env:NAME". What is not known stays as it is: "${ssm:/a}".
std::vector<ServerlessPart> ReadServerlessFile(
    const JsonTree& tree, const std::map<std::string, std::string>& parameters);

// Gives the variables in `tree`, which may be another file's, their values. `root` is
// serverless.yml.
void ResolveVariables(const JsonTree& root, const std::map<std::string, std::string>& parameters,
                      JsonTree* tree);

// The first variable that stands in a text: "ssm:/a" of "x-${ssm:/a}".
std::optional<std::string> VariableIn(const std::string& text);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_DESIGNS_SERVERLESS_FILE_H_
