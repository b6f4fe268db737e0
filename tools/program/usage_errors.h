// Errors of an invalid command line: the wrong word, and what was probably meant.
#ifndef DYNOLITH_TOOLS_PROGRAM_USAGE_ERRORS_H_
#define DYNOLITH_TOOLS_PROGRAM_USAGE_ERRORS_H_

#include <CLI/CLI.hpp>

namespace dynolith {

// Prints the error on standard error, or the requested help on standard output. Returns the exit
// code: 0 or 2.
int ReportUsageError(const CLI::App& app, const CLI::ParseError& error);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_USAGE_ERRORS_H_
