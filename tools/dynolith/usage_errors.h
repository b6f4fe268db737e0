// What is said of a command line that makes no sense: the word, and what was probably meant.
#ifndef DYNOLITH_TOOLS_DYNOLITH_USAGE_ERRORS_H_
#define DYNOLITH_TOOLS_DYNOLITH_USAGE_ERRORS_H_

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace dynolith {

// The candidate that differs from `word` by a few letters only, or begins with it; empty: none. Of
// equals the first.
std::string NearestWord(std::string_view word, const std::vector<std::string>& candidates);

// Prints what is wrong on standard error, or the help that was asked for on standard output.
// Returns the exit code: 0 or 2.
int ExitOf(const CLI::App& app, const CLI::ParseError& error);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_USAGE_ERRORS_H_
