// serverless.yml: the template among its resources.
#ifndef DYNOLITH_TOOLS_DESIGNS_TEMPLATES_SERVERLESS_FILE_H_
#define DYNOLITH_TOOLS_DESIGNS_TEMPLATES_SERVERLESS_FILE_H_

#include <string>

#include "engine/base/json_tree.h"
#include "tools/designs/table/findings.h"
#include "tools/designs/table/read_options.h"
#include "tools/designs/templates/serverless_variables.h"

namespace dynolith::designs {

// Whether it is one: a provider, and resources.
bool IsServerlessFile(const JsonTree& tree);

struct ServerlessTemplate {
  // Parts of lists and files made one, extensions applied; variables have their values, as far as
  // they are known. What is not known stays as it is: "${ssm:/a}".
  JsonTree tree;
  // What the framework calls its stack.
  std::string stack;
};

// `options.parameters` are values of variables, too: "opt:stage", "env:NAME".
// Requires: IsServerlessFile(tree).
ServerlessTemplate ReadServerlessFile(const std::string& file, const JsonTree& tree,
                                      const ReadOptions& options, const NamedFileReader& read,
                                      Findings* findings);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_DESIGNS_TEMPLATES_SERVERLESS_FILE_H_
