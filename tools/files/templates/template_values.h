// Values of CloudFormation templates: parameters, references, conditions and functions.
#ifndef DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_VALUES_H_
#define DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_VALUES_H_

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/json_tree.h"
#include "tools/files/table/findings.h"
#include "tools/files/table/read_options.h"

namespace dynolith::designs {

inline constexpr std::string_view kLanguageExtensions = "AWS::LanguageExtensions";
inline constexpr std::string_view kServerlessTransform = "AWS::Serverless-2016-10-31";

// "AWS::Include" of `AWS::Include` and of `{Name: AWS::Include, …}`.
std::string_view TransformName(const JsonTree& transform);
// Whether the template names this transform.
bool HasTransform(const JsonTree& document, std::string_view name);

// Borrows all arguments.
class TemplateValues {
 public:
  TemplateValues(const JsonTree& document, const ReadOptions& options);

  // An unknown value.
  struct UnknownValue {
    JsonLocation at;
    std::string name;          // the name to which `--parameter` could give a value
    std::string error;         // instead of a name: the error
    bool is_too_much = false;  // whether all functions together exceed a bound
  };
  using UnknownValues = std::vector<UnknownValue>;

  // Returns `value` with its functions replaced by their results. AWS::NoValue removes its member;
  // it is NoValue() if it is the whole value. Unknown parts are added to `unknown` and stay
  // unchanged.
  JsonTree Resolve(const JsonTree& value, UnknownValues* unknown);
  // `at`: the location of the use. nullopt: it depends on an unknown value.
  std::optional<bool> Condition(const std::string& name, const JsonTree& at,
                                UnknownValues* unknown);

  // Sets the values of Ref and Arn of a resource of this template.
  void SetResource(const std::string& id, std::string name, std::string arn);
  // The command line's value for this name: a text, or a list if it is separated by commas.
  // nullopt: none.
  std::optional<JsonTree> Given(const std::string& name, bool is_list) const;
  // Reports errors at their locations; for results beyond a bound only the first one.
  void Report(const std::string& file, const UnknownValues& unknown, Findings* findings);
  // "arn:aws:dynamodb:us-east-1:000000000000:table/music" of "dynamodb" and "table/music".
  std::string MakeArn(std::string_view service, std::string_view resource) const;

 private:
  using Result = std::optional<JsonTree>;
  struct Resource {
    std::string name;
    std::string arn;
  };
  struct ConditionResult {
    std::optional<bool> holds;
    UnknownValues unknown;
  };

  // `call`: the function's call, which is the location of unknown values.
  Result Call(std::string_view name, const JsonTree& call, UnknownValues* unknown);
  Result Referred(const JsonTree& call, UnknownValues* unknown);
  Result ResolveAttribute(const JsonTree& call, UnknownValues* unknown);
  Result Imported(const JsonTree& call, UnknownValues* unknown);
  Result Zones(const JsonTree& call, UnknownValues* unknown);
  Result Substituted(const JsonTree& call, UnknownValues* unknown);
  Result Chosen(const JsonTree& call, UnknownValues* unknown);
  Result Mapped(const JsonTree& call, UnknownValues* unknown);
  Result Computed(std::string_view name, const JsonTree& call, UnknownValues* unknown);

  void TooMuch(const JsonTree& at, std::string_view function, UnknownValues* unknown) const;
  Result Given(const std::string& name) const;
  Result Named(const std::string& name) const;
  Result Attribute(const std::string& name) const;
  // Returns the text with dynamic references replaced.
  JsonTree Text(JsonTree text, UnknownValues* unknown) const;
  std::optional<bool> Holds(const JsonTree& condition, const std::string& name,
                            UnknownValues* unknown);
  std::optional<bool> AllOrAny(bool is_any, const JsonTree& list, const std::string& name,
                               UnknownValues* unknown);

  const JsonTree& document_;
  const ReadOptions& options_;
  const bool has_extensions_;
  std::map<std::string, Resource> resources_;
  std::map<std::string, ConditionResult> truths_;
  std::set<std::string> asked_;  // conditions that are being evaluated
  size_t given_bytes_ = 0;       // the size of functions' results
  bool has_said_too_much_ = false;
};

// Whether the tree is the value of AWS::NoValue.
bool IsNoValue(const JsonTree& tree);

// Reports that the value called `name` is unknown, or its error, at the location of `at` or of its
// name.
std::nullopt_t Lacks(const JsonTree& at, std::string name, TemplateValues::UnknownValues* unknown);
std::nullopt_t Wrong(const JsonTree& at, std::string error, TemplateValues::UnknownValues* unknown);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_VALUES_H_
