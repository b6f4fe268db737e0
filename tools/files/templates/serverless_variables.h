// Variables of the Serverless Framework: ${opt:stage, 'dev'}.
#ifndef DYNOLITH_TOOLS_FILES_TEMPLATES_SERVERLESS_VARIABLES_H_
#define DYNOLITH_TOOLS_FILES_TEMPLATES_SERVERLESS_VARIABLES_H_

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/json_tree.h"
#include "tools/files/table/read_options.h"

namespace dynolith::designs {

// What a file that serverless.yml names holds, by its path as it is written there; a text for what
// is neither YAML nor JSON. nullopt: there is none, or it cannot be read, which has been said.
using NamedFileReader = std::function<std::optional<JsonTree>(const std::string& path)>;

// Not thread-safe.
class ServerlessVariables {
 public:
  // `root` is serverless.yml. Borrows all.
  ServerlessVariables(const JsonTree& root, const ReadOptions& options, NamedFileReader read);

  // Variables that ${env:NAME} gives before those of the process.
  void SetEnvironment(std::map<std::string, std::string> environment) {
    environment_ = std::move(environment);
  }

  // Gives the variables in `tree` their values, as far as they are known; what is not stays as it
  // is.
  void Resolve(JsonTree* tree);
  // What "provider.stage" is, variables resolved. nullopt: it is not there, or null.
  std::optional<JsonTree> Path(std::string_view path);
  // What ${sls:stage} gives.
  std::string Stage();
  // Whether a variable ${env:NAME} had no value.
  bool lacks_environment() const { return lacks_environment_; }
  // Whether so much was to be done that the rest has not got its values.
  bool is_exhausted() const { return steps_ > kStepsMax; }

 private:
  using Value = std::optional<JsonTree>;

  static constexpr size_t kStepsMax = 400'000;

  void ResolveText(JsonTree* tree);
  std::string Named(std::string_view content);
  Value FirstResolved(std::string_view content);
  Value One(std::string_view source);
  Value File(std::string_view source);
  Value Parameter(std::string_view name);
  Value Environment(const std::string& name);
  Value Boolean(std::string_view source);
  Value PathIn(const JsonTree& tree, std::string_view path);
  // Counts what is done; false: it is too much.
  bool Takes(size_t steps);
  bool TakesText(std::string_view text);
  std::string Region();
  std::string WithoutVariables(std::string_view text);

  const JsonTree& root_;
  const ReadOptions& options_;
  const NamedFileReader read_;
  std::map<std::string, std::string> environment_;
  int depth_ = 0;   // of variables that lead to each other
  int levels_ = 0;  // of lists and maps in each other, across variables
  size_t steps_ = 0;
  bool lacks_environment_ = false;
  bool is_in_stage_ = false;
  bool is_in_region_ = false;
};

// Whether variables stand in each other so deep that they do not get values.
bool IsNestedTooDeep(std::string_view text);

// The source of the first variable that stands in a text, which `--parameter` may give a value:
// "ssm:/a" of "x-${ssm:/a, self:b}".
std::optional<std::string> VariableIn(const std::string& text);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_SERVERLESS_VARIABLES_H_
