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

#include "engine/text/json_tree.h"
#include "tools/files/table/read_options.h"

namespace dynolith::designs {

// Returns the content of a file that serverless.yml names by this path; a text if it is neither
// YAML nor JSON. nullopt: it does not exist, or cannot be read, which has been reported.
using NamedFileReader = std::function<std::optional<JsonTree>(const std::string& path)>;

// Not thread-safe.
class ServerlessVariables {
 public:
  // `root` is serverless.yml. Borrows all.
  ServerlessVariables(const JsonTree& root, const ReadOptions& options, NamedFileReader read);

  // Variables that ${env:NAME} finds before those of the process.
  void SetEnvironment(std::map<std::string, std::string> environment) {
    environment_ = std::move(environment);
  }

  // Replaces the variables in `tree` by their values; unknown ones stay unchanged.
  void Resolve(JsonTree* tree);
  // The value at a path like "provider.stage", with variables resolved. nullopt: absent, or null.
  std::optional<JsonTree> Path(std::string_view path);
  // The value of ${sls:stage}.
  std::string Stage();
  // Whether a variable ${env:NAME} had no value.
  bool lacks_environment() const { return lacks_environment_; }
  // Whether it stopped at the limit of steps, so that the rest is not resolved.
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
  // Counts a step; false: the limit is reached.
  bool Takes(size_t steps);
  bool TakesText(std::string_view text);
  std::string Region();
  std::string WithoutVariables(std::string_view text);

  const JsonTree& root_;
  const ReadOptions& options_;
  const NamedFileReader read_;
  std::map<std::string, std::string> environment_;
  int depth_ = 0;   // of variables that refer to variables
  int levels_ = 0;  // of nested lists and maps, across variables
  size_t steps_ = 0;
  bool lacks_environment_ = false;
  bool is_in_stage_ = false;
  bool is_in_region_ = false;
};

// Whether variables are nested too deeply to be resolved.
bool IsNestedTooDeep(std::string_view text);

// The source of the first variable in a text, whose value `--parameter` can give: "ssm:/a" of
// "x-${ssm:/a, self:b}".
std::optional<std::string> VariableIn(const std::string& text);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_SERVERLESS_VARIABLES_H_
