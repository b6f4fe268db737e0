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

#include "engine/base/json_tree.h"
#include "tools/files/table/findings.h"
#include "tools/files/table/read_options.h"

namespace dynolith::designs {

inline constexpr std::string_view kLanguageExtensions = "AWS::LanguageExtensions";
inline constexpr std::string_view kServerlessTransform = "AWS::Serverless-2016-10-31";

// "AWS::Include" of `AWS::Include` and of `{Name: AWS::Include, …}`.
std::string_view TransformName(const JsonTree& transform);
// Whether the template names this transform.
bool HasTransform(const JsonTree& document, std::string_view name);

// Borrows all that it is made of.
class TemplateValues {
 public:
  TemplateValues(const JsonTree& document, const ReadOptions& options);

  // What cannot be known.
  struct UnknownValue {
    JsonLocation at;
    std::string name;          // what `--parameter` would give a value
    std::string fault;         // instead: what is wrong
    bool is_too_much = false;  // it is wrong with all functions together
  };
  using UnknownValues = std::vector<UnknownValue>;

  // `value` with its functions replaced by what they give; AWS::NoValue takes out what it stands
  // for, and is NoValue() where that is all. What is unknown goes to `unknown` and stays as it is.
  JsonTree Resolve(const JsonTree& value, UnknownValues* unknown);
  // `at`: who asks. nullopt: it hangs on what is unknown.
  std::optional<bool> Condition(const std::string& name, const JsonTree& at,
                                UnknownValues* unknown);

  // What Ref and Arn of a resource of this template are, once that is known.
  void SetResource(const std::string& id, std::string name, std::string arn);
  // What the command line says of this name: a text, or, separated by commas, a list. nullopt:
  // nothing.
  std::optional<JsonTree> Given(const std::string& name, bool is_list) const;
  // Errors at their places; that functions make too much is said of the first one only.
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

  // What asks, for what is unknown.
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
  // Dynamic references in it replaced.
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
  std::set<std::string> asked_;  // conditions on the way to one
  size_t given_bytes_ = 0;       // by functions
  bool has_said_too_much_ = false;
};

// What AWS::NoValue is, where it stands alone.
bool IsNoValue(const JsonTree& tree);

// Adds that the value called `name` is not known, or what is wrong, where `at` or its name begins.
std::nullopt_t Lacks(const JsonTree& at, std::string name, TemplateValues::UnknownValues* unknown);
std::nullopt_t Wrong(const JsonTree& at, std::string fault, TemplateValues::UnknownValues* unknown);

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TEMPLATES_TEMPLATE_VALUES_H_
