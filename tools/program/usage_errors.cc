#include "tools/program/usage_errors.h"

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/nearest_word.h"
#include "tools/program/messages.h"

namespace dynolith {
namespace {

constexpr int kUsageExitCode = 2;

// The command that was parsed last: "serve" for `dynolith serve --prot 1`.
const CLI::App* Reached(const CLI::App& app) {
  const CLI::App* reached = &app;
  while (!reached->get_subcommands().empty()) reached = reached->get_subcommands().front();
  return reached;
}

std::string FullName(const CLI::App& app) {
  const std::string name = app.get_parent() == nullptr ? "dynolith" : app.get_name();
  return app.get_parent() == nullptr ? name : FullName(*app.get_parent()) + " " + name;
}

std::vector<std::string> ListCommands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> ListOptions(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string ParseErrorText(const CLI::ParseError& error) {
  const std::string_view text = error.what();
  const bool lacks_value =
      error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch) &&
      text.ends_with("missing");
  // CLI11's text is then "--port: 1 required UINT:INT in [0 - 65535] missing".
  return lacks_value ? messages::ValueMissing(text.substr(0, text.find(':')))
                     : messages::WrongUsage(text);
}

std::string ParseErrorReason(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& reached = *Reached(app);
  const std::vector<std::string> commands = ListCommands(reached);
  const std::string known = CLI::detail::join(commands, ", ");
  const std::vector<std::string> unexpected = app.remaining(/*recurse=*/true);
  // A missing command is reported before any other error.
  const bool is_about_words =
      error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) || !commands.empty();
  if (!is_about_words) return ParseErrorText(error);
  if (unexpected.empty()) {
    return commands.empty() ? ParseErrorText(error) : messages::CommandMissing(known);
  }
  const std::string& word = unexpected.front();
  if (word.starts_with('-')) {
    const std::string name = word.substr(0, word.find('='));
    return messages::UnknownOption(name, FullName(reached),
                                   NearestWord(name, ListOptions(reached)));
  }
  if (commands.empty()) return messages::WordTooMany(word, FullName(reached));
  return messages::UnknownCommand(word, NearestWord(word, commands), known);
}

}  // namespace

int ReportUsageError(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  std::fputs((ParseErrorReason(app, error) + messages::AskForHelp()).c_str(), stderr);
  return kUsageExitCode;
}

}  // namespace dynolith
