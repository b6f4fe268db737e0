#include "tools/dynolith/usage_errors.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <utility>

#include "engine/base/messages/program.h"

namespace dynolith {
namespace {

constexpr int kUsageExitCode = 2;

// How many letters must be put in, taken out or exchanged to make one of the other.
size_t EditDistance(std::string_view left, std::string_view right) {
  std::vector<size_t> row(right.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < left.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < right.size(); ++j) {
      const size_t exchanged = diagonal + (left[i] == right[j] ? 0 : 1);
      diagonal = std::exchange(row[j + 1], std::min({exchanged, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

// The command that was reached: "serve" of `dynolith serve --prot 1`.
const CLI::App* Reached(const CLI::App& app) {
  const CLI::App* reached = &app;
  while (!reached->get_subcommands().empty()) reached = reached->get_subcommands().front();
  return reached;
}

std::string FullName(const CLI::App& app) {
  const std::string name = app.get_parent() == nullptr ? "dynolith" : app.get_name();
  return app.get_parent() == nullptr ? name : FullName(*app.get_parent()) + " " + name;
}

std::vector<std::string> CommandsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

std::vector<std::string> OptionsOf(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string TextOf(const CLI::ParseError& error) {
  const std::string_view text = error.what();
  const bool lacks_value =
      error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch) &&
      text.ends_with("missing");
  // "--port: 1 required UINT:INT in [0 - 65535] missing"
  return lacks_value ? messages::ValueMissing(text.substr(0, text.find(':')))
                     : messages::WrongUsage(text);
}

std::string ReasonOf(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& reached = *Reached(app);
  const std::vector<std::string> commands = CommandsOf(reached);
  const std::string known = CLI::detail::join(commands, ", ");
  const std::vector<std::string> unexpected = app.remaining(/*recurse=*/true);
  // Without a command no other error is of use.
  const bool is_about_words =
      error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) || !commands.empty();
  if (!is_about_words) return TextOf(error);
  if (unexpected.empty()) {
    return commands.empty() ? TextOf(error) : messages::CommandMissing(known);
  }
  const std::string& word = unexpected.front();
  if (word.starts_with('-')) {
    const std::string name = word.substr(0, word.find('='));
    return messages::UnknownOption(name, FullName(reached), NearestWord(name, OptionsOf(reached)));
  }
  if (commands.empty()) return messages::WordTooMany(word, FullName(reached));
  return messages::UnknownCommand(word, NearestWord(word, commands), known);
}

}  // namespace

std::string NearestWord(std::string_view word, const std::vector<std::string>& candidates) {
  std::string nearest;
  size_t least = std::max<size_t>(1, (word.size() + 1) / 3) + 1;
  for (const std::string& candidate : candidates) {
    const bool is_beginning = word.size() > 3 && candidate.starts_with(word);
    const size_t distance = is_beginning ? 1 : EditDistance(word, candidate);
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  return nearest;
}

int ExitOf(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  std::fputs((ReasonOf(app, error) + messages::AskForHelp()).c_str(), stderr);
  return kUsageExitCode;
}

}  // namespace dynolith
