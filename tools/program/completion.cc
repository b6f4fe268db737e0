// `dynolith completion`: what a shell completes behind `dynolith`: commands, options, and words or
// files behind options.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "engine/base/strings.h"
#include "tools/program/commands.h"
#include "tools/program/option_checks.h"

namespace dynolith {
namespace {

constexpr const char* kShells = "bash|zsh|fish";

// The possible values of an option or an argument.
struct Values {
  bool are_files = false;
  std::vector<std::string> words;
};

struct Option {
  std::string name;  // "--data"
  std::string description;
  bool takes_value = false;
  Values values;
};

// A command of the program, such as "lab simulate".
struct Command {
  std::string path;
  std::vector<std::pair<std::string, std::string>> commands;  // name and description
  std::vector<Option> options;
  Values arguments;
};

// Derives the values from the type's or argument's name: FILE, DIR and URL stand for files,
// "off|shape" for two words.
void AddValues(const CLI::Option& option, Values* values) {
  const std::string type = Concat(option.get_type_name(), " ", option.get_name(true));
  for (const std::string_view each : {"FILE", "DIR", "URL"}) {
    values->are_files |= type.find(each) != std::string::npos;
  }
  if (values->are_files || option.get_type_name().find('|') == std::string::npos) return;
  const std::vector<std::string> words = absl::StrSplit(option.get_type_name(), '|');
  for (const std::string& word : words) {
    // "…" means that there are more words than the name shows.
    if (word != "…") values->words.push_back(word);
  }
}

// The part before the first colon, semicolon or parenthesis, since shells show one line.
std::string Brief(const std::string& description) {
  const size_t end = std::min(description.find(": "), description.find(';'));
  return description.substr(0, std::min(end, description.find(" (")));
}

void Describe(const CLI::App& app, const std::string& path, std::vector<Command>* commands) {
  Command command{.path = path};
  for (const CLI::Option* option : app.get_options()) {
    if (!option->nonpositional()) {
      AddValues(*option, &command.arguments);
      continue;
    }
    if (option->get_lnames().empty()) continue;
    Option described = {.name = "--" + option->get_lnames().front(),
                        .description = Brief(option->get_description()),
                        .takes_value = option->get_items_expected_max() > 0};
    if (described.takes_value) AddValues(*option, &described.values);
    command.options.push_back(std::move(described));
  }
  const std::vector<const CLI::App*> below =
      app.get_subcommands([](const CLI::App* each) { return !each->get_name().empty(); });
  for (const CLI::App* each : below) {
    command.commands.emplace_back(each->get_name(), Brief(each->get_description()));
  }
  commands->push_back(std::move(command));
  for (const CLI::App* each : below) {
    Describe(*each, path.empty() ? each->get_name() : Concat(path, " ", each->get_name()),
             commands);
  }
}

std::string Joined(const std::vector<std::string>& words) {
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : " ") + word;
  return joined;
}

// Puts the text into single quotes, for bash and zsh.
std::string Quoted(const std::string& text) {
  return Concat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

constexpr const char* kBashBegin =
    R"(# bash completion for dynolith: made by `dynolith completion bash`.
_dynolith() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" command="" word words="" files=""
  # "=" is a word of its own here.
  [[ "$current" == = ]] && current=""
  [[ "$previous" == = ]] && previous="${COMP_WORDS[COMP_CWORD-2]}"
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command $word" in
)";
constexpr const char* kBashEnd = R"(  esac
  compopt +o default 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  if [[ -n "$files" && "$current" != -* ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -F _dynolith dynolith
)";

void AppendBashCommand(const Command& command, std::string* script) {
  std::string words;
  for (const auto& [name, description] : command.commands) words += name + " ";
  for (const std::string& word : command.arguments.words) words += word + " ";
  for (const Option& option : command.options) words += option.name + " ";
  *script += Concat("    ", Quoted(command.path), ")\n      case \"$previous\" in\n");
  for (const Option& option : command.options) {
    if (!option.takes_value) continue;
    *script += Concat("        ", option.name, ") words=", Quoted(Joined(option.values.words)),
                      option.values.are_files ? " files=yes" : "", " ;;\n");
  }
  *script += Concat("        *) words=", Quoted(words),
                    command.arguments.are_files ? " files=yes" : "", " ;;\n      esac\n      ;;\n");
}

std::string BashScript(const std::vector<Command>& commands) {
  std::string script = kBashBegin;
  for (const Command& command : commands) {
    if (command.path.empty()) continue;
    const std::string parent =
        command.path.find(' ') == std::string::npos ? " " + command.path : command.path;
    script += Concat("      ", Quoted(parent), ") command=", Quoted(command.path), " ;;\n");
  }
  script += "    esac\n  done\n  case \"$command\" in\n";
  for (const Command& command : commands) AppendBashCommand(command, &script);
  return script + kBashEnd;
}

// Escapes a name or description for _describe and _arguments of zsh.
std::string ZshText(const std::string& text) {
  return absl::StrReplaceAll(text, {{"\\", "\\\\"}, {":", "\\:"}, {"[", "\\["}, {"]", "\\]"}});
}

std::string ZshFunction(const std::string& path) {
  return "_dynolith" + (path.empty() ? "" : "_" + absl::StrReplaceAll(path, {{" ", "_"}}));
}

void AppendZshCommand(const Command& command, std::string* script) {
  *script += Concat(ZshFunction(command.path), "() {\n  local -a commands\n  _arguments -C -s");
  for (const Option& option : command.options) {
    std::string text =
        Concat(option.name, option.takes_value ? "=" : "", "[", ZshText(option.description), "]");
    if (option.takes_value) {
      text += ": :";
      if (option.values.are_files) text += "_files";
      if (!option.values.words.empty()) text += Concat("(", Joined(option.values.words), ")");
    }
    *script += Concat(" \\\n    ", Quoted(text));
  }
  if (!command.commands.empty()) {
    *script +=
        " \\\n    '1: :->command' '*:: :->rest'\n  case $state in\n    command)\n      commands=(";
    for (const auto& [name, description] : command.commands) {
      *script += " " + Quoted(Concat(name, ":", ZshText(description)));
    }
    *script += " )\n      _describe command commands ;;\n    rest)\n      case $words[1] in\n";
    for (const auto& [name, description] : command.commands) {
      const std::string path = command.path.empty() ? name : Concat(command.path, " ", name);
      *script += Concat("        ", name, ") ", ZshFunction(path), " ;;\n");
    }
    *script += "      esac ;;\n  esac\n}\n";
    return;
  }
  if (command.arguments.are_files) *script += " \\\n    '*: :_files'";
  if (!command.arguments.words.empty()) {
    *script += Concat(" \\\n    ", Quoted(Concat("*: :(", Joined(command.arguments.words), ")")));
  }
  *script += "\n}\n";
}

std::string ZshScript(const std::vector<Command>& commands) {
  std::string script = "#compdef dynolith\n# Made by `dynolith completion zsh`.\n";
  for (const Command& command : commands) AppendZshCommand(command, &script);
  // Works both as a function that zsh loads by its name, and as a script that is sourced.
  return script +
         "if [ \"$funcstack[1]\" = _dynolith ]; then _dynolith \"$@\"; else compdef _dynolith "
         "dynolith; fi\n";
}

std::string FishText(const std::string& text) {
  return Concat("'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
}

// True if the words before the cursor name this command, and none of its subcommands.
std::string FishCondition(const Command& command) {
  std::vector<std::string> below;
  for (const auto& [name, description] : command.commands) below.push_back(name);
  std::string condition;
  if (!command.path.empty()) {
    const std::vector<std::string> words = absl::StrSplit(command.path, ' ');
    for (const std::string& each : words) {
      condition += Concat(condition.empty() ? "" : "; and ", "__fish_seen_subcommand_from ", each);
    }
  }
  if (!below.empty()) {
    condition += Concat(condition.empty() ? "" : "; and ", "not __fish_seen_subcommand_from ",
                        Joined(below));
  }
  return Concat("complete -c dynolith -n ", FishText(condition));
}

std::string FishScript(const std::vector<Command>& commands) {
  std::string script =
      "# fish completion for dynolith: made by `dynolith completion fish`.\ncomplete -c dynolith "
      "-f\n";
  for (const Command& command : commands) {
    const std::string begin = FishCondition(command);
    for (const auto& [name, description] : command.commands) {
      script += Concat(begin, " -a ", name, " -d ", FishText(description), "\n");
    }
    if (command.arguments.are_files) script += Concat(begin, " -F\n");
    if (!command.arguments.words.empty()) {
      script += Concat(begin, " -a ", FishText(Joined(command.arguments.words)), "\n");
    }
    for (const Option& option : command.options) {
      script += Concat(begin, " -l ", option.name.substr(2), " -d ", FishText(option.description));
      if (option.values.are_files) {
        script += " -r -F";
      } else if (!option.values.words.empty()) {
        script += Concat(" -x -a ", FishText(Joined(option.values.words)));
      } else if (option.takes_value) {
        script += " -x";
      }
      script += "\n";
    }
  }
  return script;
}

// The script for one of `kShells`, with all commands and options of `app`.
std::string CompletionScript(const CLI::App& app, std::string_view shell) {
  std::vector<Command> commands;
  Describe(app, "", &commands);
  if (shell == "zsh") return ZshScript(commands);
  return shell == "fish" ? FishScript(commands) : BashScript(commands);
}

}  // namespace

// AddCommands adds all commands when this one is given, so the callback finds them in `app`.
void AddCompletion(CLI::App* app, int* exit_code) {
  static std::string shell;
  CLI::App* const completion =
      app->add_subcommand("completion", "Print what a shell completes behind dynolith");
  completion->add_option("SHELL", shell, "Which shell")
      ->required()
      ->transform(AmongWords(kShells))
      ->type_name(kShells);
  completion->callback([app, exit_code] {
    std::fputs(CompletionScript(*app, shell).c_str(), stdout);
    *exit_code = std::fflush(stdout) == 0 ? 0 : 1;
  });
  completion->footer(
      "Examples:\n"
      "  eval \"$(dynolith completion bash)\"      # in ~/.bashrc\n"
      "  eval \"$(dynolith completion zsh)\"       # in ~/.zshrc, behind compinit\n"
      "  dynolith completion fish | source        # in ~/.config/fish/config.fish");
}

}  // namespace dynolith
