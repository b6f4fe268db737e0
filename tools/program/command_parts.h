// The common part of several commands: options, and exit codes.
#ifndef DYNOLITH_TOOLS_PROGRAM_COMMAND_PARTS_H_
#define DYNOLITH_TOOLS_PROGRAM_COMMAND_PARTS_H_

#include <CLI/CLI.hpp>
#include <map>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/files/excerpt/excerpt.h"

namespace dynolith {

// --- exit codes

// The command succeeded, but its result is not as it should be.
inline constexpr int kNotAsWanted = 3;
inline constexpr int kInterrupted = 130;

// 0, or 1 for an error, which is printed on standard error.
int Finish(const absl::Status& status);
// The same; kInterrupted for kCancelled.
int FinishOrInterrupted(const absl::Status& status);
// For commands that choose their exit code.
int FinishWithCode(const absl::StatusOr<int>& exit_code);
// For runs that Ctrl-C can end: false if it has.
int FinishRun(const absl::StatusOr<bool>& is_complete);

// --- data folders

// The folder of the databases with names beside the data folder; empty: there are none.
std::string DatabasesBeside(const std::string& folder);
// Says on standard error, if there are any, that they are not in what the command makes.
void SayDatabasesLeftOut(const std::string& folder);

// --- options

// For the server with the admin endpoint.
void AddAdminToken(CLI::App* command, std::string* file);
// Values that files need but do not contain.
CLI::Option* AddParameters(CLI::App* command, std::map<std::string, std::string>* parameters);
// Parts of templates to leave out.
CLI::Option* AddLeftOut(CLI::App* command, std::set<std::string>* names);
// Which items are copied, and what of them.
void AddExcerpt(CLI::App* command, excerpt::ExcerptOptions* options);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_COMMAND_PARTS_H_
