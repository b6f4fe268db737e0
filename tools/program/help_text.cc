#include "tools/program/help_text.h"

#include <sstream>

namespace dynolith {
namespace {

constexpr size_t kColumns = 80;

// Counts each byte as a column, so lines with characters beyond ASCII are a little shorter.
std::string Broken(const std::string& text, size_t columns) {
  std::istringstream words(text);
  std::string broken;
  size_t used = 0;
  for (std::string word; words >> word; used += word.size()) {
    const bool fits = used + 1 + word.size() <= columns;
    if (!broken.empty()) broken += fits ? ' ' : '\n';
    used = fits && !broken.empty() ? used + 1 : 0;
    broken += word;
  }
  return broken;
}

}  // namespace

std::string HelpText::make_option_desc(const CLI::Option* option) const {
  return Broken(option->get_description(), kColumns - get_column_width());
}

std::string HelpText::make_subcommand(const CLI::App* command) const {
  std::stringstream out;
  CLI::detail::format_help(out, command->get_display_name(true),
                           Broken(command->get_description(), kColumns - get_column_width()),
                           get_column_width());
  return out.str();
}

std::string HelpText::make_description(const CLI::App* app) const {
  return Broken(CLI::Formatter::make_description(app), kColumns) + "\n";
}

std::string HelpText::make_footer(const CLI::App* app) const {
  std::istringstream lines(CLI::Formatter::make_footer(app));
  std::string footer;
  for (std::string line; std::getline(lines, line);) {
    footer += (line.starts_with(' ') ? line : Broken(line, kColumns)) + "\n";
  }
  return footer;
}

}  // namespace dynolith
