#include "tools/program/database_flags.h"

#include <cstdint>
#include <vector>

#include "tools/program/option_checks.h"

namespace dynolith {
namespace {

GivenValue Given(const DatabaseOption& option, const std::string& text) {
  const bool is_zero = !option.zero.empty() && text == option.zero;
  return {.text = is_zero ? std::string_view("0") : text, .shown = text};
}

void SetHelp(const DatabaseOption& option, CLI::Option* flag) {
  flag->type_name(option.value.empty() ? OptionWords(option) : std::string(option.value));
  if (option.shown != nullptr) flag->default_str(option.shown(OpenSettings()));
}

}  // namespace

CLI::Option* AddDatabaseFlag(CLI::App* command, std::string_view name, OpenSettings* settings) {
  const DatabaseOption& option = *FindDatabaseOption(name);
  const std::string flag(option.flag);
  const std::string help(option.help);
  if (option.value.empty() && option.words == nullptr) {
    return command->add_flag_function(
        flag,
        [&option, settings](int64_t count) {
          option.read({.text = count > 0 ? "true" : "false"}, settings);
        },
        help);
  }
  CLI::Option* const added = command->add_option_function<std::vector<std::string>>(
      flag,
      [&option, settings](const std::vector<std::string>& texts) {
        for (const std::string& text : texts) option.read(Given(option, text), settings);
      },
      help);
  // One value for each flag; otherwise CLI11 would take the following words as further values.
  added->expected(1);
  if (option.is_list) added->take_all();
  added->check(CLI::Validator(
      [&option](std::string& text) {
        OpenSettings unused;
        return option.read(Given(option, text), &unused).value_or("");
      },
      ""));
  SetHelp(option, added);
  return added;
}

void AddDatabaseFlags(CLI::App* command, std::initializer_list<std::string_view> names,
                      OpenSettings* settings) {
  for (const std::string_view name : names) AddDatabaseFlag(command, name, settings);
}

CLI::Option* AddKeyFlag(CLI::App* command, std::string* key) {
  return command
      ->add_option("--encryption-key", *key,
                   "Where the key of an encrypted data folder comes from: file:PATH, env:NAME or "
                   "command:TEXT")
      ->check(KeySource())
      ->type_name("KEY");
}

CLI::Option* AddUnreadFlag(CLI::App* command, std::string_view name, std::string* text) {
  const DatabaseOption& option = *FindDatabaseOption(name);
  CLI::Option* const added =
      command->add_option(std::string(option.flag), *text, std::string(option.help));
  SetHelp(option, added);
  return added;
}

}  // namespace dynolith
