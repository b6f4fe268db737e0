// What several commands have in common: options, and how they end.
#ifndef DYNOLITH_TOOLS_PROGRAM_COMMAND_PARTS_H_
#define DYNOLITH_TOOLS_PROGRAM_COMMAND_PARTS_H_

#include <CLI/CLI.hpp>
#include <map>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith {

// --- exit codes

inline constexpr int kInterrupted = 130;

// 0, or 1 for an error, which is said on standard error.
int Finish(const absl::Status& status);
// Of what Ctrl-C may end: false, if it has.
int FinishRun(const absl::StatusOr<bool>& is_complete);

// --- options

// Of a server whose admin endpoint is asked.
void AddAdminToken(CLI::App* command, std::string* file);
// What of a file cannot be known from it.
CLI::Option* AddParameters(CLI::App* command, std::map<std::string, std::string>* parameters);
// What of a template is not wanted, or not done here.
CLI::Option* AddLeftOut(CLI::App* command, std::set<std::string>* names);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_COMMAND_PARTS_H_
