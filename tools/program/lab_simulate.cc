// `dynolith lab simulate`: an experiment in virtual time.
#include <CLI/CLI.hpp>
#include <vector>

#include "engine/base/status_macros.h"
#include "tools/lab/model/simulation.h"
#include "tools/lab/report/expectations.h"
#include "tools/program/command_parts.h"
#include "tools/program/interruption.h"
#include "tools/program/lab_commands.h"
#include "tools/program/lab_progress.h"
#include "tools/program/lab_run.h"
#include "tools/program/messages.h"

namespace dynolith {
namespace {

std::vector<lab::RunResult> RunAll(const Experiments& experiments) {
  std::vector<lab::RunResult> runs;
  runs.reserve(experiments.size());
  const Interruption interruption;
  for (const lab::Experiment& experiment : experiments) {
    ProgressBar bar(experiment.design.empty() ? experiment.title : experiment.design);
    runs.push_back(lab::Simulate(experiment, [&bar](const lab::RunProgress& progress) {
      bar.Show(progress, messages::LabProgress);
      return !Interruption::HasCome();
    }));
    if (!runs.back().is_complete) break;
  }
  return runs;
}

// Shows progress on standard error if that is a terminal.
// Returns its exit code; if SIGINT has ended it, it shows what there is so far.
absl::StatusOr<int> LabSimulate(const LabRunOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(const Experiments experiments, LoadChosen(options));
  DYNOLITH_ASSIGN_OR_RETURN(const lab::PriceList prices, LoadPrices(options.prices_file));
  for (const lab::Experiment& experiment : experiments) {
    DYNOLITH_RETURN_IF_ERROR(lab::CheckExpectable(options.experiment, experiment));
  }
  DYNOLITH_RETURN_IF_ERROR(CheckResults(options));
  return ShowRuns(options, RunAll(experiments), prices);
}

}  // namespace

void AddLabSimulate(CLI::App* lab, int* exit_code) {
  static LabRunOptions options;
  CLI::App* const simulate =
      lab->add_subcommand("simulate", "Run an experiment in virtual time, and show what happened");
  AddLabRun(simulate, &options);
  simulate->callback([exit_code] { *exit_code = FinishWithCode(LabSimulate(options)); });
  simulate->footer(
      "Ctrl-C ends the run and shows what there is so far. The exit code is 3 if the run is not\n"
      "as its experiment expects: [experiment] expect = { served = 0.999, p99 = \"20ms\",\n"
      "cost = { most = 900 } }.\n"
      "Examples:\n"
      "  dynolith lab simulate celebrity\n"
      "  dynolith lab simulate celebrity --report celebrity.html\n"
      "  dynolith lab simulate shop.toml --csv ./shop --json shop.json");
}

}  // namespace dynolith
