// serverless.yml: the template among its resources.
#ifndef DYNOLITH_TOOLS_FILES_TEMPLATES_SERVERLESS_FILE_H_
#define DYNOLITH_TOOLS_FILES_TEMPLATES_SERVERLESS_FILE_H_

#include <functional>
#include <optional>
#include <string>

#include "engine/text/json_tree.h"
#include "tools/files/table/findings.h"
#include "tools/files/table/read_options.h"
#include "tools/files/templates/serverless_variables.h"

namespace dynolith::designs {

// Whether the tree is such a file: it has a provider and resources.
bool IsServerlessFile(const JsonTree& tree);

struct ServerlessTemplate {
  // Parts of lists and files merged, extensions applied, known variables replaced. Unknown ones
  // stay: "${ssm:/a}".
  JsonTree tree;
  // The framework's name of the stack.
  std::string stack;
};

// An optional file, as a text.
struct NamedText {
  std::string file;  // its name in findings
  std::string text;
};
// By its path as in serverless.yml. nullopt: as in NamedFileReader.
using NamedTextReader = std::function<std::optional<NamedText>(const std::string& path)>;

// `options.parameters` are values of variables, too: "opt:stage", "env:NAME".
// Requires: IsServerlessFile(tree).
ServerlessTemplate ReadServerlessFile(const std::string& file, const JsonTree& tree,
                                      const ReadOptions& options, const NamedFileReader& read,
                                      const NamedTextReader& read_text, Findings* findings);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_SERVERLESS_FILE_H_
