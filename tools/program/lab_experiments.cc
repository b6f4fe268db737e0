// `dynolith lab new`, `check`, `list` and `prices`: experiments and prices as texts.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/lab/data_model/data_model.h"
#include "tools/lab/data_model/experiment_text.h"
#include "tools/lab/experiment/experiment_file.h"
#include "tools/lab/shipped/shipped.h"
#include "tools/lab/text/figures_text.h"
#include "tools/program/command_parts.h"
#include "tools/program/lab_commands.h"
#include "tools/program/lab_inputs.h"
#include "tools/program/lab_outputs.h"
#include "tools/program/messages.h"
#include "tools/program/print.h"
#include "tools/program/terminal_line.h"

namespace dynolith {
namespace {

// The source of a new experiment; all empty: the commented example.
struct LabNewSource {
  std::string shipped;  // its name; "replay": one that replays a trace
  std::string model;    // files
  std::string benchmark;
};

absl::StatusOr<std::string> TextOfModel(const LabNewSource& from) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::string model_text, lab::ReadTextFile(from.model));
  DYNOLITH_ASSIGN_OR_RETURN(const lab::DataModel model,
                            lab::ParseDataModel(from.model, model_text));
  std::optional<lab::BenchmarkConfig> benchmark;
  if (!from.benchmark.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::string text, lab::ReadTextFile(from.benchmark));
    DYNOLITH_ASSIGN_OR_RETURN(benchmark, lab::ParseBenchmarkConfig(from.benchmark, text));
  }
  return lab::ExperimentText(std::filesystem::path(from.model).filename().string(), model,
                             benchmark);
}

absl::StatusOr<std::string> NewText(const LabNewSource& from) {
  if (!from.model.empty()) return TextOfModel(from);
  if (from.shipped.empty()) return std::string(lab::ExampleExperiment());
  if (from.shipped == "replay") return std::string(lab::ExampleReplay());
  DYNOLITH_ASSIGN_OR_RETURN(const lab::ShippedFile* const found, ShippedExperiment(from.shipped));
  return std::string(found->text);
}

// Writes to a new file, or to standard output if `file` is empty.
absl::Status LabNew(const std::string& file, const LabNewSource& from) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::string text, NewText(from));
  if (file.empty()) {
    Print(text);
    return absl::OkStatus();
  }
  if (MayBeThere(file)) {
    return absl::AlreadyExistsError(ToAbsl(messages::LabFileIsThere(file)));
  }
  DYNOLITH_RETURN_IF_ERROR(WriteTextFile(file, text));
  Print(messages::LabWritten(file));
  return absl::OkStatus();
}

absl::Status LabCheck(const std::string& file) {
  DYNOLITH_ASSIGN_OR_RETURN(const Experiments experiments, LoadExperiments(file));
  const lab::Experiment& first = experiments.front();
  Print(messages::LabChecked(file, first.tables.size(), first.accesses.size(), experiments.size(),
                             lab::TimeText(first.duration)));
  PrintDoubts(experiments);
  return absl::OkStatus();
}

absl::Status LabList() {
  lab::TextColumns columns({{"experiment"}, {"what it shows", true}});
  for (const lab::ShippedFile& file : lab::ShippedExperiments()) {
    DYNOLITH_ASSIGN_OR_RETURN(const Experiments experiments, ParseShipped(file));
    columns.Add({std::string(file.name), experiments.front().title});
  }
  Print(columns.Text(0, OutputColumns()));
  return absl::OkStatus();
}

}  // namespace

void AddLabNew(CLI::App* lab, int* exit_code) {
  static std::string file;
  static LabNewSource from;
  CLI::App* const make = lab->add_subcommand("new", "Write a commented experiment to begin with");
  make->add_option("FILE", file, "That is not there yet; standard output if it is left out");
  CLI::Option* const shipped =
      make->add_option("--from", from.shipped,
                       "A copy of this experiment of dynolith lab list; replay: one that replays a "
                       "trace")
          ->type_name("NAME");
  CLI::Option* const model =
      make->add_option("--model", from.model,
                       "The experiment of a dynamodb_data_model.json, as AWS's agent skill and MCP "
                       "server for DynamoDB write it")
          ->type_name("FILE")
          ->excludes(shipped);
  make->add_option("--benchmark", from.benchmark,
                   "With it also the designs of a benchmark_config.json of that skill")
      ->type_name("FILE")
      ->needs(model);
  make->callback([exit_code] { *exit_code = Finish(LabNew(file, from)); });
  make->footer(
      "Examples:\n"
      "  dynolith lab new shop.toml\n"
      "  dynolith lab new celebrity.toml --from celebrity\n"
      "  dynolith lab new shop.toml --model dynamodb_data_model.json");
}

void AddLabCheck(CLI::App* lab, int* exit_code) {
  static std::string checked;
  CLI::App* const check =
      lab->add_subcommand("check", "Say what in an experiment's file makes no sense, and where");
  check->add_option("FILE", checked, "Experiment")->required();
  check->callback([exit_code] { *exit_code = Finish(LabCheck(checked)); });
}

void AddLabList(CLI::App* lab, int* exit_code) {
  lab->add_subcommand("list", "The experiments that come with the program")->callback([exit_code] {
    *exit_code = Finish(LabList());
  });
}

void AddLabPrices(CLI::App* lab, int* exit_code) {
  lab->add_subcommand("prices", "The prices by which costs are reckoned, as a file to edit")
      ->callback([exit_code] {
        Print(lab::ShippedPrices());
        *exit_code = 0;
      });
}

}  // namespace dynolith
