// The program: reads the command line and does what it says.
#include <nss.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "api/c/messages.h"
#include "engine/base/errno_status.h"
#include "tools/program/command_parts.h"
#include "tools/program/commands.h"
#include "tools/program/help_text.h"
#include "tools/program/messages.h"
#include "tools/program/usage_errors.h"

namespace dynolith {
namespace {

constexpr const char* kExitCodes =
    "Exit codes:\n"
    "  0  all is well\n"
    "  1  it is not: standard error says why, check prints what disagrees, verify what is damaged\n"
    "  2  the command line makes no sense\n"
    "  3  repair has saved what could be read, but not all could\n"
    "  130  an experiment, a load or a migration was interrupted\n";

// The commands in the order of --help.
struct Command {
  std::string_view name;
  void (*add)(CLI::App* app, int* exit_code);
};
constexpr Command kCommands[] = {
    {"quickstart", AddQuickstart},
    {"serve", AddServe},
    {"proxy", AddProxy},
    {"store", AddStore},
    {"key", AddKey},
    {"check", AddCheck},
    {"repair", AddRepair},
    {"backup", AddBackup},
    {"restore", AddRestore},
    {"verify", AddVerify},
    {"load", AddLoad},
    {"dump", AddDump},
    {"migrate", AddMigrate},
    {"mcp", AddMcp},
    {"top", AddTop},
    {"ping", AddPing},
    {"doctor", AddDoctor},
    {"iam", AddIamCommand},
    {"dissect", AddDissect},
    {"lab", AddLab},
    {"completion", AddCompletion},
};

// nullptr: there is no such command.
const Command* FindCommand(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kCommands), std::end(kCommands),
                                         [&](const Command& each) { return each.name == name; });
  return found == std::end(kCommands) ? nullptr : found;
}

// The one command that the line begins with, or else all: to describe all options of all commands
// takes as long as to open a store.
void AddCommands(CLI::App* app, std::string_view first, int* exit_code) {
  const Command* const named = FindCommand(first);
  if (named != nullptr && named->add != AddCompletion) return named->add(app, exit_code);
  for (const Command& command : kCommands) command.add(app, exit_code);
}

// `dynolith help serve` is `dynolith serve --help`, and `dynolith version` `dynolith --version`.
std::vector<const char*> WithWordsAsOptions(int argc, char** argv) {
  std::vector<const char*> words(argv, argv + argc);
  if (argc < 2) return words;
  const std::string_view first = argv[1];
  if (first == "version") words[1] = "--version";
  if (first != "help") return words;
  words.erase(words.begin() + 1);
  // A word that is no command is an error, which names those that there are.
  const bool is_known = words.size() == 1 || FindCommand(words[1]) != nullptr;
  if (is_known) words.push_back("--help");
  return words;
}

int Run(const std::vector<const char*>& words) {
#ifdef DYNOLITH_SELF_CONTAINED
  // What looks up names in other ways is in libraries that fit the C library which the machine has,
  // and not this one.
  __nss_configure_lookup("hosts", "files dns");
#endif
  const std::string_view first = words.size() > 1 ? words[1] : "";
  CLI::App app("Dynolith: Amazon DynamoDB's semantics on RocksDB");
  app.formatter(std::make_shared<HelpText>());
  app.set_version_flag("--version", "dynolith " DYNOLITH_VERSION);
  app.require_subcommand(1);
  int exit_code = 0;
  if (words.size() != 2 || first != "--version") AddCommands(&app, first, &exit_code);
  app.footer(std::string(kExitCodes) +
             "\nExamples:\n"
             "  dynolith quickstart\n"
             "  dynolith help serve\n"
             "  dynolith serve --data ./data\n"
             "  dynolith check ./data\n"
             "  dynolith repair ./data ./saved\n"
             "  dynolith backup ./data ./backup\n"
             "  dynolith restore ./backup ./restored\n"
             "  dynolith top\n"
             "  dynolith doctor\n"
             "  dynolith dissect table ./data --table songs\n"
             "  dynolith lab simulate celebrity");
  try {
    app.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    return ReportUsageError(app, error);
  }
  // What goes on until it is stopped does not depend on who reads it.
  const bool is_service = first == "serve" || first == "proxy" || first == "mcp";
  if (exit_code != 0 || is_service) return exit_code;
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
  return Finish(absl::UnavailableError(messages::OutputNotWritten(ErrnoReason(errno))));
}

}  // namespace
}  // namespace dynolith

// Whatever is thrown ends here: an error line and no abort.
int main(int argc, char** argv) {
  // A file that may not grow is an error with its name.
  signal(SIGXFSZ, SIG_IGN);
  try {
    return dynolith::Run(dynolith::WithWordsAsOptions(argc, argv));
  } catch (const std::bad_alloc&) {
    return dynolith::Finish(absl::ResourceExhaustedError(dynolith::messages::NoMemory()));
  } catch (const std::exception& exception) {
    return dynolith::Finish(
        absl::InternalError(dynolith::messages::UnexpectedException(exception.what())));
  }
}
