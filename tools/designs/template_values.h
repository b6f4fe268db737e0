// Values of CloudFormation templates: parameters, references, conditions and functions.
#ifndef DYNOLITH_TOOLS_DESIGNS_TEMPLATE_VALUES_H_
#define DYNOLITH_TOOLS_DESIGNS_TEMPLATE_VALUES_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json_tree.h"
#include "tools/designs/findings.h"

namespace dynolith::designs {

// Borrows all that it is made of.
class TemplateValues {
 public:
  // `given` are values by the names of parameters and references: "Stage", "Key.Arn".
  TemplateValues(const JsonTree& document, const std::map<std::string, std::string>& given,
                 std::string region);

  // What cannot be known, and what would give it a value.
  struct Unknown {
    const JsonTree* at;
    std::string name;
  };

  // `value` with its functions replaced by what they give; AWS::NoValue takes out what it stands
  // for. What is unknown goes to `unknown` and stays as it is.
  JsonTree Resolve(const JsonTree& value, std::vector<Unknown>* unknown);
  // nullopt: it hangs on what is unknown.
  std::optional<bool> Condition(std::string_view name);
  // The name of a table of this template, once it is known.
  void SetTableName(const std::string& resource, std::string name) {
    tables_[resource] = std::move(name);
  }

 private:
  using Unknowns = std::vector<Unknown>;
  using Result = std::optional<JsonTree>;

  Result Call(std::string_view function, const JsonTree& call, const JsonTree& argument,
              Unknowns* unknown);
  Result Named(const std::string& name) const;
  Result Attribute(const std::string& name) const;
  Result Substituted(const JsonTree& argument, Unknowns* unknown);
  Result Joined(const JsonTree& argument, Unknowns* unknown);
  Result Chosen(const JsonTree& argument, Unknowns* unknown);
  Result Selected(const JsonTree& argument, Unknowns* unknown);
  Result Split(const JsonTree& argument, Unknowns* unknown);
  Result Mapped(const JsonTree& argument, Unknowns* unknown);
  std::optional<bool> Truth(const JsonTree& condition);

  const JsonTree& document_;
  const std::map<std::string, std::string>& given_;
  const std::string region_;
  std::map<std::string, std::string> tables_;
  int depth_ = 0;  // of conditions that ask for conditions
};

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_DESIGNS_TEMPLATE_VALUES_H_
