#include "tools/program/command_parts.h"

#include <cstdio>
#include <vector>

#include "api/service/database_folders.h"
#include "engine/base/errors.h"
#include "tools/program/messages.h"
#include "tools/program/option_checks.h"

namespace dynolith {

int Finish(const absl::Status& status) {
  if (status.ok()) return 0;
  std::fputs(messages::Failed(MessageOf(status)).c_str(), stderr);
  return 1;
}

int FinishOrInterrupted(const absl::Status& status) {
  const int exit_code = Finish(status);
  return absl::IsCancelled(status) ? kInterrupted : exit_code;
}

int FinishWithCode(const absl::StatusOr<int>& exit_code) {
  if (absl::IsCancelled(exit_code.status())) {
    Finish(exit_code.status());
    return kInterrupted;
  }
  return exit_code.ok() ? *exit_code : Finish(exit_code.status());
}

int FinishRun(const absl::StatusOr<bool>& is_complete) {
  const int exit_code = Finish(is_complete.status());
  const bool is_interrupted =
      is_complete.ok() ? !*is_complete : absl::IsCancelled(is_complete.status());
  return is_interrupted ? kInterrupted : exit_code;
}

std::string DatabasesBeside(const std::string& folder) {
  const absl::StatusOr<std::string> beside = FoldersBeside(folder);
  if (!beside.ok()) return "";
  const absl::StatusOr<std::vector<std::string>> names = NamesInFolder(*beside);
  return names.ok() && !names->empty() ? *beside : "";
}

void SayDatabasesLeftOut(const std::string& folder) {
  const std::string beside = DatabasesBeside(folder);
  if (!beside.empty()) std::fputs(messages::DatabasesLeftOut(beside).c_str(), stderr);
}

void AddAdminToken(CLI::App* command, std::string* file) {
  command
      ->add_option("--admin-token", *file,
                   "The server's own --admin-token, to ask it from another machine or container")
      ->check(NamedPath())
      ->type_name("FILE");
}

CLI::Option* AddParameters(CLI::App* command, std::map<std::string, std::string>* parameters) {
  return command
      ->add_option_function<std::vector<std::string>>(
          "--parameter",
          [parameters](const std::vector<std::string>& values) {
            for (const std::string& value : values) {
              const size_t equals = value.find('=');
              (*parameters)[value.substr(0, equals)] = value.substr(equals + 1);
            }
          },
          "The value of a template's parameter, or of a reference that the files do not explain: "
          "Stage=dev, Key.Arn=arn:…; may be repeated")
      ->expected(1)
      ->take_all()
      ->check(NameAndValue())
      ->type_name("NAME=VALUE");
}

CLI::Option* AddLeftOut(CLI::App* command, std::set<std::string>* names) {
  return command
      ->add_option_function<std::vector<std::string>>(
          "--leave-out",
          [names](const std::vector<std::string>& values) {
            names->insert(values.begin(), values.end());
          },
          "A property, a transform, a macro, a section or a type of resource that templates are "
          "loaded without: SSESpecification; may be repeated. Without it what cannot be done is an "
          "error")
      ->expected(1)
      ->take_all()
      ->type_name("NAME");
}

void AddExcerpt(CLI::App* command, excerpt::ExcerptOptions* options) {
  command
      ->add_option(
          "--filter", options->filter,
          "Only items for which this holds: the condition behind WHERE in PartiQL, such as "
          "\"country = 'DE' AND total > 100\"")
      ->type_name("CONDITION");
  command
      ->add_option("--sample", options->sample,
                   "Only this share of the partition keys, with all of their items: the same ones "
                   "in each run and in each table")
      ->type_name("PERCENT%");
  CLI::Option* const rules =
      command
          ->add_option("--anonymise", options->rules_file,
                       "A file of rules, by which names, keys and other values are replaced")
          ->check(NamedPath())
          ->type_name("FILE");
  command
      ->add_flag(
          "--strict", options->is_strict,
          "What is a warning about rules of --anonymise is an error: one that finds nothing, "
          "and a value that still stands elsewhere in its item")
      ->needs(rules);
}

}  // namespace dynolith
