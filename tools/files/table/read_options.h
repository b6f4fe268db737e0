// What is said beside the files of a design.
#ifndef DYNOLITH_TOOLS_FILES_TABLE_READ_OPTIONS_H_
#define DYNOLITH_TOOLS_FILES_TABLE_READ_OPTIONS_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace dynolith::designs {

// Whose resources templates make.
inline constexpr std::string_view kTemplateAccount = "000000000000";

struct ReadOptions {
  // Values of parameters and references, by name.
  std::map<std::string, std::string> parameters;
  // Whose replica of a global table is meant, and AWS::Region.
  std::string region = "us-east-1";
  // Properties, transforms and types of resources that templates may hold and that are left out
  // with a warning. Of a template everything else that cannot be done is an error.
  std::set<std::string> left_out;
  // The names of parameters that files have asked for; copies share it.
  std::shared_ptr<std::set<std::string>> asked = std::make_shared<std::set<std::string>>();
};

// The value that is given to this name; nullptr: none.
inline const std::string* GivenValue(const ReadOptions& options, const std::string& name) {
  const auto given = options.parameters.find(name);
  if (given == options.parameters.end()) return nullptr;
  options.asked->insert(name);
  return &given->second;
}

}  // namespace dynolith::designs

#endif  // DYNOLITH_TOOLS_FILES_TABLE_READ_OPTIONS_H_
