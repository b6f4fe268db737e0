// `dynolith lab new`, `check`, `list` and `prices`: experiments and prices as texts.
#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/lab/report/figures_text.h"
#include "tools/lab/shipped/shipped.h"
#include "tools/program/command_parts.h"
#include "tools/program/lab_commands.h"
#include "tools/program/lab_inputs.h"
#include "tools/program/lab_outputs.h"
#include "tools/program/messages.h"
#include "tools/program/print.h"
#include "tools/program/terminal_line.h"

namespace dynolith {
namespace {

// To a file that is not there yet; to standard output if `file` is empty. `shipped` "replay": an
// experiment that replays a trace.
absl::Status LabNew(const std::string& file, const std::string& shipped) {
  std::string_view text = lab::ExampleExperiment();
  if (shipped == "replay") {
    text = lab::ExampleReplay();
  } else if (!shipped.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(const lab::ShippedFile* const found, ShippedExperiment(shipped));
    text = found->text;
  }
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
  static std::string shipped;
  CLI::App* const make = lab->add_subcommand("new", "Write a commented experiment to begin with");
  make->add_option("FILE", file, "That is not there yet; standard output if it is left out");
  make->add_option("--from", shipped,
                   "A copy of this experiment of dynolith lab list; replay: one that replays a "
                   "trace")
      ->type_name("NAME");
  make->callback([exit_code] { *exit_code = Finish(LabNew(file, shipped)); });
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
