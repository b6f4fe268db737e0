// The text of --help, in lines of at most 80 columns: CLI11 wraps none.
#ifndef DYNOLITH_TOOLS_PROGRAM_HELP_TEXT_H_
#define DYNOLITH_TOOLS_PROGRAM_HELP_TEXT_H_

#include <CLI/CLI.hpp>
#include <string>

namespace dynolith {

class HelpText final : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_description(const CLI::App* app) const override;
  // Examples, which begin with a space, are not wrapped.
  std::string make_footer(const CLI::App* app) const override;
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_HELP_TEXT_H_
