// Options of reading designs that are not in their files.
#ifndef DYNOLITH_TOOLS_FILES_TABLE_READ_OPTIONS_H_
#define DYNOLITH_TOOLS_FILES_TABLE_READ_OPTIONS_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace dynolith::designs {

// The account in the ARNs of templates' resources.
inline constexpr std::string_view kTemplateAccount = "000000000000";

struct ReadOptions {
  // Values of parameters and references, by name.
  std::map<std::string, std::string> parameters;
  // The region of the replica of a global table, and AWS::Region.
  std::string region = "us-east-1";
  // Properties, transforms and types of resources of templates that are left out with a warning.
  // Other unsupported parts of a template are errors.
  std::set<std::string> left_out;
  // The names of parameters that files have used; shared by copies.
  std::shared_ptr<std::set<std::string>> asked = std::make_shared<std::set<std::string>>();
};

// The given value of this name; nullptr: none.
inline const std::string* GivenValue(const ReadOptions& options, const std::string& name) {
  const auto given = options.parameters.find(name);
  if (given == options.parameters.end()) return nullptr;
  options.asked->insert(name);
  return &given->second;
}

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TABLE_READ_OPTIONS_H_
